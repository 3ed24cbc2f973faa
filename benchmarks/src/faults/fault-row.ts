import { type Column, fitColumns, tableLine } from '../text-table.ts';
import type { FaultResult } from './fault.ts';

/** A row of the table, as it is printed, and written as JSON. */
export interface FaultRow extends FaultResult {
  readonly name: string;
  readonly result: 'passed' | 'failed' | 'skipped';
  readonly seed: number;
  readonly seconds: number;
}

export const COLUMNS: readonly Column[] = [
  { title: 'fault', width: 19 },
  { title: 'tries', width: 6, align: 'right' },
  { title: 'durable', width: 9, align: 'right' },
  { title: 'lost', width: 5, align: 'right' },
  { title: 'duplicates', width: 10, align: 'right' },
  { title: 'seconds', width: 7, align: 'right' },
  { title: 'result', width: 7 },
  { title: 'demand', width: 0 },
];

const RESULTS = { passed: 'pass', failed: 'FAIL', skipped: 'skipped' };
const MOST_PROBLEMS = 10;

/** The lines of a row: the row itself, its details and its problems. */
export function lines({ name, result, problems, demand, seed, details = [], ...row }: FaultRow): string[] {
  const numbers = [row.tries, row.durable, row.lost, row.duplicates];
  const seconds = row.seconds.toFixed(1);
  const cells = [
    name,
    ...numbers.map((number) => number.toLocaleString('en')),
    seconds,
    RESULTS[result],
    demand,
  ];
  const shown = problems.slice(0, MOST_PROBLEMS).map((problem) => `    ${problem}`);
  if (problems.length > shown.length) shown.push(`    and ${problems.length - shown.length} more`);
  if (result === 'failed') shown.push(`    the same choices again: --only ${name} --seed ${seed}`);
  const columns = fitColumns(details);
  const table = details.map((line) => `    ${tableLine(columns, line)}`);
  return [tableLine(COLUMNS, cells), ...table, ...shown];
}

/** The last line: `N passed, N failed, N skipped`. */
export function summary(rows: readonly FaultRow[]): string {
  const count = (result: FaultRow['result']) => rows.filter((row) => row.result === result).length;
  return `${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped`;
}
