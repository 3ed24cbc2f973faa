/** The part of a row that its list needs. */
export interface Identified {
  readonly id: number;
}

/** The answer of a route whose rows are read with `before`, newest first. */
export interface Answered<Row> {
  readonly rows: readonly Row[];
  /** Where to read on; null at the end. */
  readonly next: number | null;
}

/** The rows at `path` that were read, and where to read on; null at the end. */
export interface ReadRows<Row> {
  readonly path: string;
  readonly first: Answered<Row>;
  readonly rows: readonly Row[];
  readonly next: number | null;
}

/** The rows of a new first answer, and those that were read before, if it reaches them: a slow search goes on where it was. */
export function renewed<Row extends Identified>(
  path: string,
  first: Answered<Row>,
  before: ReadRows<Row> | undefined,
): ReadRows<Row> {
  const { next } = first;
  const newest = before?.rows[0]?.id ?? 0;
  if (before?.path !== path || next === null || next > newest + 1)
    return { path, first, rows: first.rows, next };
  const older = before.rows.filter(({ id }) => id < next);
  return { ...before, first, rows: [...first.rows, ...older] };
}

/** Adds the rows of a further answer. */
export function readOn<Row extends Identified>(list: ReadRows<Row>, answer: Answered<Row>): ReadRows<Row> {
  return { ...list, rows: [...list.rows, ...answer.rows], next: answer.next };
}
