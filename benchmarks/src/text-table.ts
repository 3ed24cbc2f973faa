/** A column of a table on the terminal. */
export interface Column {
  readonly title: string;
  readonly width: number;
  readonly align?: 'right';
}

/** One line of a table. A text that is wider than its column pushes the others aside. */
export function tableLine(columns: readonly Column[], cells: readonly string[]): string {
  const padded = columns.map(({ width, align }, index) => {
    const cell = cells[index] ?? '';
    return align === 'right' ? cell.padStart(width) : cell.padEnd(width);
  });
  return padded.join('  ').trimEnd();
}

/** The line of the titles. */
export function tableHead(columns: readonly Column[]): string {
  return tableLine(
    columns,
    columns.map(({ title }) => title),
  );
}

/** Columns as wide as the widest text in them. The first of the lines holds the titles. */
export function fitColumns(lines: readonly (readonly string[])[]): Column[] {
  const titles = lines[0] ?? [];
  return titles.map((title, index) => {
    const width = Math.max(...lines.map((line) => line[index]?.length ?? 0));
    // What begins with a digit, below its title, is a figure.
    const isNumeric = lines.slice(1).every((line) => /^\d|^$/.test(line[index] ?? ''));
    return { title, width, ...(isNumeric && { align: 'right' as const }) };
  });
}
