import { expect, test } from 'vitest';
import { ProgressLines } from '../../src/terminal/progress.ts';

test('progress without a terminal is a line each quarter, and one for where it ended', () => {
  const lines: string[] = [];
  const progress = new ProgressLines((line) => lines.push(line), { total: 1_000, start: 0 });
  for (let value = 0; value <= 900; value += 50) progress.update(value, 'tracked');
  progress[Symbol.dispose]();
  expect(lines).toEqual([
    '250 of 1,000 tracked',
    '500 of 1,000 tracked',
    '750 of 1,000 tracked',
    '900 of 1,000 tracked',
  ]);
});

test('progress that ends on a quarter does not say so twice', () => {
  const lines: string[] = [];
  const progress = new ProgressLines((line) => lines.push(line), { total: 10, start: 4 });
  progress.update(10, 'tracked');
  progress.update(10, 'tracked');
  progress[Symbol.dispose]();
  expect(lines).toEqual(['10 of 10 tracked']);
});

test('progress that has nowhere to go says so once', () => {
  const lines: string[] = [];
  const progress = new ProgressLines((line) => lines.push(line), { total: 10, start: 10 });
  progress.update(10, 'tracked');
  progress[Symbol.dispose]();
  expect(lines).toEqual(['10 of 10 tracked']);
});
