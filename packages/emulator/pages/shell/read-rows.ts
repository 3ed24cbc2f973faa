import type { Page } from '../../src/admin/contract.ts';

/** The part of a row that its list needs. */
export interface Identified {
  readonly id: number;
}

/** The rows at `path` that were read, newest first, and where to read on. */
export interface ReadRows<Row> extends Page<Row> {
  readonly path: string;
  /** Where its first answer ended. What is older was read on from there. */
  readonly from: number;
}

/** The rows of a new first answer, and those that were read before, if it reaches them: a slow search goes on where it was. */
export function renewed<Row extends Identified>(
  path: string,
  { rows, next }: Page<Row>,
  before: ReadRows<Row> | undefined,
): ReadRows<Row> {
  const newest = before?.rows[0]?.id ?? 0;
  if (before?.path !== path || next === null || next > Math.max(newest + 1, before.from))
    return { path, rows, next, from: next ?? 0 };
  return { ...before, rows: [...rows, ...before.rows.filter(({ id }) => id < next)] };
}

/** Adds the rows of a further answer. */
export function readOn<Row extends Identified>(list: ReadRows<Row>, answer: Page<Row>): ReadRows<Row> {
  return { ...list, rows: [...list.rows, ...answer.rows], next: answer.next };
}
