import { AIRPORT_COLUMN, DATE_COLUMN, type StrikeRow } from './bird-strikes.ts';
import { operatorOf } from './strike-event.ts';

/** An operator as a customer of the service. All attributes are strings, as in the examples of the interface. */
export interface OperatorCustomer {
  readonly operator: string;
  readonly strikes: string;
  readonly first_strike: string;
  readonly first_airport: string;
}

/** A value and how often it occurs. */
export interface ValueCount {
  readonly value: string;
  readonly count: number;
}

/** Returns the customers: one for each operator in the reports. */
export function toCustomers(rows: readonly StrikeRow[]): OperatorCustomer[] {
  return [...groupByOperator(rows)].map(([operator, strikes]) => {
    const first = strikes.reduce((earliest, row) => (dateOf(row) < dateOf(earliest) ? row : earliest));
    return {
      operator,
      strikes: String(strikes.length),
      first_strike: dateOf(first),
      first_airport: first[AIRPORT_COLUMN] ?? '',
    };
  });
}

/** Returns the operators with the most reports, the most first. Operators with equal counts are in alphabetical order. */
export function topOperators(rows: readonly StrikeRow[], limit: number): ValueCount[] {
  return [...groupByOperator(rows)]
    .map(([value, strikes]) => ({ value, count: strikes.length }))
    .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
    .slice(0, limit);
}

function groupByOperator(rows: readonly StrikeRow[]): Map<string, StrikeRow[]> {
  const groups = new Map<string, StrikeRow[]>();
  for (const row of rows) {
    const operator = operatorOf(row);
    const group = groups.get(operator);
    if (group === undefined) groups.set(operator, [row]);
    else group.push(row);
  }
  return groups;
}

function dateOf(row: StrikeRow): string {
  return row[DATE_COLUMN] ?? '';
}
