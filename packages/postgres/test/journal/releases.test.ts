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

it('strays that come while others are deleted are waited for until they are gone too', async () => {
  const answers: (() => void)[] = [];
  const answer = () => new Promise<void>((resolve) => answers.push(resolve));
  const releases = new Releases({
    parcels: { clear: answer, remove: answer } as Partial<ParcelTable> as ParcelTable,
    outbox: {} as OutboxTable,
    clock: new VirtualClock(),
    onDeleted() {},
  });
  const tenure = { slot: 1, epoch: 1, outbox: undefined, isOwn: true, isLost: false };
  const first = releases.add([{ table: 'own', tenure, seq: 1, done() {} }]);
  // Waits for nothing: these are not strays.
  await releases.cleared();
  const second = releases.add([{ table: 'stray', tenure, seq: 2, done() {} }]);
  let isCleared = false;
  const cleared = releases.cleared().then(() => {
    isCleared = true;
  });
  for (const count of [1, 2]) {
    await expect.poll(() => answers.length).toBe(count);
    expect(isCleared).toBe(false);
    answers.at(-1)?.();
  }
  await Promise.all([first, second, cleared]);
});

it('strays are gone though other rows of their batch cannot be deleted', async () => {
  const clock = new VirtualClock();
  const away = () => Promise.reject(new Error('locked'));
  const releases = new Releases({
    parcels: { clear: async () => {}, cut: away, remove: away } as Partial<ParcelTable> as ParcelTable,
    ...{ outbox: {} as OutboxTable, clock, onDeleted() {} },
  });
  const tenure = { slot: 1, epoch: 1, outbox: undefined, isOwn: true, isLost: false };
  const [own, stray] = (['own', 'stray'] as const).map((table, seq) => ({ table, tenure, seq, done() {} }));
  await expect(releases.add([own, stray].flatMap((release) => release ?? []))).rejects.toThrow('locked');
  await releases.cleared();
  releases.stop();
});
