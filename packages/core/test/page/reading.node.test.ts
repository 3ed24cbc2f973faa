import 'fake-indexeddb/auto';
import { systemClock } from '@sluice/protocol/toolbox';
import { expect, it } from 'vitest';
import { Parcels } from '../../src/page/keep/parcels.ts';
import { load } from '../../src/page/keep/reading.ts';
import { IndexedDbStore } from '../../src/page/store/indexeddb-store.ts';

const ALL = { maxEvents: Number.POSITIVE_INFINITY, maxBytes: Number.POSITIVE_INFINITY };

it('a parcel has ended where only a lease of it is left, and is not damaged', async () => {
  const store = new IndexedDbStore('a lease that is left', systemClock, () => {});
  const fates: unknown[] = [];
  const parcels = new Parcels(0, ALL, 500, undefined, (...fate) => fates.push(fate));
  const parcel = parcels.found(['page', 1, 2, 5, 5, '']);
  // Another page, which ended after that, sent it as well.
  await store.use('readwrite', (objects) => void objects.put(0, ['page', 1, 2e12, 30_000, 1]));
  const fail = () => expect.unreachable();
  await load(store, [parcel], parcels, fail, fail);
  expect([parcel.state, fates]).toEqual(['ended', [['delivered', 2]]]);
  store.close();
});
