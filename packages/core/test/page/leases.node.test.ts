import { expect, it } from 'vitest';
import { type ParcelKey, readKeys } from '../../src/page/keep/parcel.ts';

const NOW = Date.UTC(2026, 0, 2);
const DAY_MS = 24 * 60 * 60_000;
const FOR_MS = 30_000;
const key: ParcelKey = ['a', 2 ** 20, 1, 100, NOW - 5_000, ''];
/** How long its lease still runs. */
const leftMs = (...ends: number[]) => {
  const leases = ends.map((end) => ['a', 2 ** 20, end, FOR_MS, 0]);
  const [stored] = readKeys([key, ...leases], NOW).stored.values();
  return stored?.until && stored.until - NOW;
};

it('a lease that runs counts, though another one ends later than it can', () => {
  expect(leftMs(NOW + DAY_MS)).toBe(0);
  expect(leftMs(NOW + 20_000)).toBe(20_000);
  expect(leftMs(NOW + 20_000, NOW + DAY_MS)).toBe(20_000);
  expect(leftMs(NOW - 20_000, NOW + 10_000, NOW + 20_000)).toBe(20_000);
});
