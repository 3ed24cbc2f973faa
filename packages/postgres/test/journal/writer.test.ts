import { systemClock } from '@sluice/protocol/toolbox';
import { expect, it } from 'vitest';
import { QueryError } from '../../src/database/query-error.ts';
import type { Releases } from '../../src/journal/releases.ts';
import { Writer } from '../../src/journal/writer.ts';
import type { ParcelTable } from '../../src/parcels/parcel-table.ts';
import { Segments } from '../../src/slots/segments.ts';
import type { Tenure } from '../../src/slots/tenure.ts';
import { group } from '../bench/witness.ts';

it('a slot that is lost is left as soon as the write in progress has ended, though events keep coming', async () => {
  const slots: (Tenure & { isLost: boolean })[] = [];
  const inserts: (() => void)[] = [];
  const insert = () => new Promise<boolean>((resolve) => inserts.push(() => resolve(true)));
  const writer = new Writer({
    // The casts are safe: nothing else of them is used.
    parcels: { insert } as Partial<ParcelTable> as ParcelTable,
    releases: { cleared: async () => {} } as Partial<Releases> as Releases,
    ...{ segments: new Segments(), clock: systemClock, compress: false, repeatMs: 0, onStored() {} },
    async makeSlot() {
      const tenure = { slot: slots.length, epoch: 1, outbox: undefined, isOwn: true, isLost: false };
      slots.push(tenure);
      return tenure;
    },
  });
  const append = () => void writer.append(group(['{}']));
  append();
  await expect.poll(() => inserts.length).toBe(1);
  Object.assign(slots[0] ?? {}, { isLost: true });
  let isLeft = false;
  const left = writer.leftLost().then(() => {
    isLeft = true;
  });
  for (let write = 0; write < 3 && !isLeft; write += 1) {
    append();
    inserts[write]?.();
    await expect.poll(() => inserts.length).toBe(write + 2);
  }
  await left;
  expect(slots).toHaveLength(2);
  inserts.at(-1)?.();
  await writer.close();
});

it('what is appended behind a group that fails fails too: it would be stored before it', async () => {
  const stored: number[] = [];
  let inserts = 0;
  const writer = new Writer({
    // The casts are safe: nothing else of them is used.
    parcels: {
      async insert(_slot, rows) {
        inserts += 1;
        if (inserts === 1) throw new QueryError('store events', new Error('no connection'), false);
        stored.push(...rows.map(({ seq }) => seq));
        return true;
      },
    } as Partial<ParcelTable> as ParcelTable,
    releases: { cleared: async () => {} } as Partial<Releases> as Releases,
    ...{ segments: new Segments(), clock: systemClock, compress: false, repeatMs: 0, onStored() {} },
    makeSlot: async () => ({ slot: 1, epoch: 1, outbox: undefined, isOwn: true, isLost: false }),
  });
  const groups = Array.from({ length: 20 }, () => writer.append(group(['{}'])));
  const outcomes = await Promise.allSettled(groups);
  expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set(['rejected']));
  await writer.append(group(['{}']));
  expect(stored).toEqual([1]);
  await writer.close();
});
