import { expect, it } from 'vitest';
import { Released } from '../../../../src/keep/file/format/released.ts';

const MOST_RUNS = 4 * 1024;
const ID = 7;

it('at most 4,096 runs are read from records, and what joins one of them counts after that, too', () => {
  const apart = Array.from({ length: MOST_RUNS + 1 }, (_, index) => ({ from: 2 * index, to: 2 * index + 1 }));
  const joining = { from: 1, to: 4 };
  const end = 3 * MOST_RUNS;
  const released = new Released();
  released.addRecords(ID, end, Released.records(ID, [...apart, joining]));
  expect(released.gaps(0, 8)).toEqual([
    { from: 5, to: 6 },
    { from: 7, to: 8 },
  ]);
  expect(released.gaps(2 * MOST_RUNS, end)).toEqual([{ from: 2 * MOST_RUNS, to: end }]);
});
