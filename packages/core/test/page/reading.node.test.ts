import 'fake-indexeddb/auto';
import { systemClock } from '@sluice/protocol/toolbox';
import { expect, it } from 'vitest';
import { createKeeper } from '../../src/page/keep/keeper.ts';
import { createParcels } from '../../src/page/keep/parcels.ts';
import { write } from './records.ts';

const ALL = { maxEvents: Number.POSITIVE_INFINITY, maxBytes: Number.POSITIVE_INFINITY };

it('a parcel has ended where only a lease of it is left, and is not damaged', async () => {
  const fates: unknown[] = [];
  const parcels = createParcels({
    ...{ clock: systemClock, order: undefined, ended: () => expect.unreachable() },
    settings: { buffer: ALL, batch: { ...ALL, maxWaitMs: 0 } },
    reporter: { settled: (...fate) => fates.push(fate) },
  });
  const parcel = parcels.found(['page', 1, 2, 5, 5, '']);
  const options = { name: 'a lease that is left', settings: {}, parcels, clock: systemClock };
  const keeper = createKeeper(options as unknown as Parameters<typeof createKeeper>[0]);
  await keeper.sync();
  // Another page, which ended after that, sent it as well.
  await write(options.name, ['page', 1, 2e12, 30_000, 1]);
  await keeper.load([parcel]);
  expect([parcel.state, fates]).toEqual(['ended', [['delivered', 2]]]);
  await keeper.close();
});
