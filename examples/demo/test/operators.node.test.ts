import { describe, expect, test } from 'vitest';
import { toCustomers, topOperators } from '../src/operators.ts';

const rows = [
  strike('B AIR', '1991-02-01', 'OSLO'),
  strike('A AIR', '1991-03-01', 'ROME'),
  strike('C AIR', '1991-04-01', 'LIMA'),
  strike('C AIR', '1991-01-01', 'CAIRO'),
];

describe('operators', () => {
  test('become one customer each, with their count and their earliest report', () => {
    expect(toCustomers(rows)).toContainEqual({
      operator: 'C AIR',
      strikes: '2',
      first_strike: '1991-01-01',
      first_airport: 'CAIRO',
    });
    expect(toCustomers(rows)).toHaveLength(3);
  });

  test('are ranked by count, and by name where counts are equal', () => {
    expect(topOperators(rows, 2)).toEqual([
      { value: 'C AIR', count: 2 },
      { value: 'A AIR', count: 1 },
    ]);
  });
});

function strike(operator: string, date: string, airport: string) {
  return { 'Aircraft Airline Operator': operator, 'Flight Date': date, 'Airport Name': airport };
}
