import { findEventProblem } from '@sluice/protocol';
import { describe, expect, test } from 'vitest';
import { readBirdStrikes } from '../src/bird-strikes.ts';
import { PRIMARY_KEY, rowUuid, toEvent } from '../src/strike-event.ts';

describe('the event of a row', () => {
  test('carries date and operator as its own fields and all other cells as payload', async () => {
    const [row = {}] = await readBirdStrikes();
    expect(toEvent(row, 0)).toEqual({
      name: 'bird_strike',
      payload: {
        'Airport Name': 'BARKSDALE AIR FORCE BASE ARPT',
        'Aircraft Make Model': 'T-38A',
        'Effect Amount of damage': 'None',
        'Origin State': 'Louisiana',
        'Phase of flight': 'Climb',
        'Wildlife Size': 'Large',
        'Wildlife Species': 'Turkey vulture',
        'Time of day': 'Day',
        'Cost Other': '0',
        'Cost Repair': '0',
        'Cost Total $': '0',
        'Speed IAS in knots': '300',
      },
      options: { correlationValue: 'MILITARY', timestamp: '1990-01-08T00:00:00.000Z', uuid: rowUuid(0) },
    });
  });

  test('keeps an empty cell as an empty string', async () => {
    const rows = await readBirdStrikes();
    const index = rows.findIndex((row) => row['Speed IAS in knots'] === '');
    expect(toEvent(rows[index] ?? {}, index).payload['Speed IAS in knots']).toBe('');
  });

  test('goes to UNKNOWN where no operator is named', () => {
    const row = { 'Flight Date': '1990-01-08', 'Aircraft Airline Operator': ' ' };
    expect(toEvent(row, 0).options.correlationValue).toBe('UNKNOWN');
  });

  test('is one that the service takes, for each of the 10,000 rows', async () => {
    const rows = await readBirdStrikes();
    const problems = rows.flatMap((row, index) => {
      const { name, payload, options } = toEvent(row, index);
      const event = { event: name, correlationKey: PRIMARY_KEY, source: 'custom', payload, ...options };
      return findEventProblem(event) ?? [];
    });
    expect(problems).toEqual([]);
  });
});

describe('the uuid of a row', () => {
  test('is the same on each run', () => {
    expect(rowUuid(0)).toBe('3f054c42-a101-53ce-b58a-fcab2e5eae8f');
  });

  test('differs for rows that are alike', async () => {
    const rows = await readBirdStrikes();
    expect(new Set(rows.map((row) => JSON.stringify(row))).size).toBeLessThan(rows.length);
    expect(new Set(rows.map((_, index) => rowUuid(index))).size).toBe(rows.length);
  });
});
