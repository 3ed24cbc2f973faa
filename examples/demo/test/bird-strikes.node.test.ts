import { describe, expect, test } from 'vitest';
import { parseBirdStrikes, readBirdStrikes } from '../src/bird-strikes.ts';

const HEAD = 'Airport Name,Flight Date,Aircraft Airline Operator,Speed';

describe('the dataset', () => {
  test('has 10,000 rows of 14 columns', async () => {
    const rows = await readBirdStrikes();
    expect(rows).toHaveLength(10_000);
    expect(new Set(rows.map((row) => Object.keys(row).length))).toEqual(new Set([14]));
  });

  test('keeps cells as the strings that they are', () => {
    const rows = parseBirdStrikes(`${HEAD}\n"A, ""B""",1990-01-08,MILITARY,\n`);
    expect(rows).toEqual([
      {
        'Airport Name': 'A, "B"',
        'Flight Date': '1990-01-08',
        'Aircraft Airline Operator': 'MILITARY',
        Speed: '',
      },
    ]);
  });

  test('is refused where a row has a cell too few', () => {
    expect(() => parseBirdStrikes(`${HEAD}\nA,1990-01-08,MILITARY\n`)).toThrow(/columns length/i);
  });

  test('is refused where a column that is needed is missing', () => {
    expect(() => parseBirdStrikes('Airport Name,Flight Date\nA,1990-01-08\n')).toThrow(
      'birdstrikes.csv has no column "Aircraft Airline Operator"',
    );
  });
});
