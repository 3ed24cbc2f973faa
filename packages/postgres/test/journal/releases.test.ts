import { VirtualClock } from '@sluice/core/testing';
import { expect, it } from 'vitest';
import type { OutboxTable } from '../../src/forward/outbox-table.ts';
import { Releases } from '../../src/journal/releases.ts';
import type { ParcelTable } from '../../src/parcels/parcel-table.ts';

it('a release that fails after stop() is not tried again for ever', async () => {
  const clock = new VirtualClock();
  let tries = 0;
  let fail: (error: Error) => void = () => {};
  const parcels = {
    clear() {
      tries += 1;
      if (tries > 1) return Promise.reject(new Error('Cannot use a pool after calling end on the pool'));
      return new Promise<void>((_, reject) => {
        fail = reject;
      });
    },
  } as unknown as ParcelTable;
  const releases = new Releases({
    parcels,
    outbox: {} as OutboxTable,
    clock,
    onDeleted() {},
  });
  const tenure = { slot: 1, epoch: undefined, outbox: undefined, isOwn: true, isLost: false };
  const added = releases.add([{ table: 'stray', tenure, seq: 1, done() {} }]).catch(() => undefined);
  await new Promise(setImmediate);
  releases.stop();
  fail(new Error('PostgreSQL is away'));
  await added;
  await clock.advance(60_000);
  expect(tries).toBe(1);
});
