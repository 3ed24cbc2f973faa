import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { ParcelList } from '../../src/parcels/parcel-list.ts';

/** A parcel of three events, as the tracker adds it that stored it. */
function parcelOf(number: number) {
  const whole = { from: 1 + number * 3, to: 4 + number * 3 };
  return { ...whole, bytes: 100, at: 1_700_000_000_000 + number, rest: [whole] };
}

it('a tracker keeps some dozen bytes of each parcel that it stored', () => {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  const list = new ParcelList();
  collect();
  const before = process.memoryUsage().heapUsed;
  const count = 200_000;
  for (let number = 0; number < count; number += 1) list.add(parcelOf(number));
  collect();
  // Objects take some hundred.
  expect((process.memoryUsage().heapUsed - before) / count).toBeLessThan(80);
  expect(list).toMatchObject({ size: count, bytes: count * 100 });
});

it('parcels are found, released in parts and removed, however few of them are left', () => {
  const list = new ParcelList();
  for (const number of [2, 0, 1, 3]) list.add(parcelOf(number));
  expect(list.keys).toEqual([1, 4, 7, 10]);
  expect(list.next(0)).toEqual(parcelOf(0));
  const [part] = list.release({ from: 5, to: 6 });
  expect(part?.rest).toEqual([
    { from: 4, to: 5 },
    { from: 6, to: 7 },
  ]);
  for (const parcel of list.release({ from: 1, to: 10 })) list.remove(parcel);
  expect(list).toMatchObject({ keys: [10], size: 1, bytes: 100 });
  expect(list.release({ from: 1, to: 10 })).toEqual([]);
  expect(list.next(0)).toEqual(parcelOf(3));
});

it('a parcel may have the number of one that is gone', () => {
  const list = new ParcelList();
  for (const number of [0, 1, 2]) list.add(parcelOf(number));
  const [gone] = list.release(parcelOf(1));
  if (gone) list.remove(gone);
  const place = 7;
  list.add({ ...parcelOf(1), place });
  expect(list).toMatchObject({ keys: [1, 4, 7], size: 3, bytes: 300 });
  expect([list.countAfter(6), list.countAfter(7)]).toEqual([1, 0]);
  expect(list.release(parcelOf(1))).toEqual([{ ...parcelOf(1), place, rest: [] }]);
});
