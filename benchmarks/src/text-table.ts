/** A column of a table on the terminal. */
export interface Column {
  readonly title: string;
  readonly width: number;
  readonly align?: 'right';
}

/** One line of a table. A text that is wider than its column moves the following ones to the right. */
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

/** Columns as wide as their widest text. The first line holds the titles. */
export function fitColumns(lines: readonly (readonly string[])[]): Column[] {
  const titles = lines[0] ?? [];
  return titles.map((title, index) => {
    const width = Math.max(...lines.map((line) => line[index]?.length ?? 0));
    // A column holds figures if each text below its title begins with a digit, or is empty.
    const isNumeric = lines.slice(1).every((line) => /^\d|^$/.test(line[index] ?? ''));
    return { title, width, ...(isNumeric && { align: 'right' as const }) };
  });
}
