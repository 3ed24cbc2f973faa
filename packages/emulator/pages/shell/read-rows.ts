import type { Page } from '../../src/admin/contract.ts';

/** The part of a row that its list needs. */
export interface Identified {
  readonly id: number;
}

/** The rows at `path` that were read, newest first, and where to read on. */
export interface ReadRows<Row> extends Page<Row> {
  readonly path: string;
}

/** The rows of a new first answer, and those that were read before, if it reaches them: a slow search goes on where it was. */
export function renewed<Row extends Identified>(
  path: string,
  answer: Page<Row>,
  before: ReadRows<Row> | undefined,
): ReadRows<Row> {
  const { rows, next, newest } = answer;
  if (before?.path !== path || next === null || next > before.newest + 1) return { path, ...answer };
  return {
    ...{ path, newest },
    rows: [...rows, ...before.rows.filter(({ id }) => id < next)],
    next: before.next && Math.min(before.next, next),
  };
}

/** Adds the rows of a further answer. */
export function readOn<Row extends Identified>(list: ReadRows<Row>, answer: Page<Row>): ReadRows<Row> {
  return { ...list, rows: [...list.rows, ...answer.rows], next: answer.next };
}
