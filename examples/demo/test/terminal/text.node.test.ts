import { expect, test } from 'vitest';
import { formatBytes, formatCount, formatSeconds, plural } from '../../src/terminal/numbers.ts';
import { tableLines } from '../../src/terminal/table.ts';
import { wrap } from '../../src/terminal/wrapping.ts';

test('numbers are written for people', () => {
  expect([formatCount(10_000), formatSeconds(3_449), plural(1, 'event'), plural(2, 'event')]).toEqual([
    '10,000',
    '3.4 s',
    '1 event',
    '2 events',
  ]);
  expect([0, 999, 12_345, 4_210_000].map(formatBytes)).toEqual(['0 B', '999 B', '12 kB', '4.2 MB']);
});

test('a table is as wide as its widest cells, with numbers to the right', () => {
  expect(
    tableLines([
      ['name', 'count'],
      ['a longer name', '1'],
    ]),
  ).toEqual(['name            count', 'a longer name       1']);
});

test('text is broken between words, and no word is broken', () => {
  expect(wrap('one two three incomprehensibly four', 9)).toEqual([
    'one two',
    'three',
    'incomprehensibly',
    'four',
  ]);
});
