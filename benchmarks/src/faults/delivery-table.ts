import { ISOLATION_CASES, ISOLATION_EVENTS, runIsolation } from './delivery-table/isolation.ts';
import { TABLE_CASES } from './delivery-table/table-cases.ts';
import type { TableRow } from './delivery-table/table-row.ts';
import { eventsOf, runTableCase } from './delivery-table/table-run.ts';
import type { Fault, FaultContext, FaultResult } from './fault.ts';
import { sumOf } from './lines.ts';

/** Tests each answer of the delivery table, and a missing answer, with a real HTTP server; and how bad events are found. */
export const deliveryTable: Fault = { name: 'delivery-table', run };

async function run({ seed }: FaultContext): Promise<FaultResult> {
  const rows: TableRow[] = [];
  for (const row of TABLE_CASES) rows.push(await runTableCase(row));
  for (const row of ISOLATION_CASES) rows.push(await runIsolation(row, seed));
  const tracked = sumOf(TABLE_CASES, eventsOf) + ISOLATION_EVENTS * ISOLATION_CASES.length;
  const ended = ({ deadLettered, dropped, pending }: TableRow) => deadLettered + dropped + pending;
  const due = tracked - sumOf(rows, ended);
  return {
    ...{ tries: rows.length, durable: due, lost: due - sumOf(rows, ({ delivered }) => delivered) },
    duplicates: sumOf(rows, ({ repeated }) => repeated),
    demand: 'each answer is followed by what the table says',
    problems: rows.flatMap(({ answer, problems }) => problems.map((problem) => `${answer}: ${problem}`)),
    details: [TITLES, ...rows.map(cells)],
  };
}

const TITLES = [
  ...[
    'answer',
    'action',
    'delivered',
    'dead letters',
    'dropped',
    'pending',
    'requests',
    'at most',
    'first wait, s',
  ],
];

function cells({ answer, action, waitMs, ...row }: TableRow): string[] {
  const numbers = [row.delivered, row.deadLettered, row.dropped, row.pending, row.requests];
  const most = row.mostRequests === undefined ? '' : String(row.mostRequests);
  const wait = waitMs === undefined ? '' : (waitMs / 1_000).toLocaleString('en');
  return [answer, action, ...numbers.map(String), most, wait];
}
