import { FileJournal } from '@sluice/core/file-journal';
import { VirtualClock } from '@sluice/core/testing';
import { systemClock } from '@sluice/protocol/toolbox';
import { describe, expect, it } from 'vitest';
import { PATIENCE } from '../../../../testing/patience.ts';
import { directory, openSite, optionsOf, pageEvent, SILENT, service } from '../bench/site.ts';

const UNLIMITED = { ticketEventsPerMinute: 2 ** 31, addressEventsPerMinute: 2 ** 31 };

describe('202', () => {
  it('is answered until the journal is full, then 503: nothing that was taken is dropped for newer events', async () => {
    const emulator = await service();
    await emulator.suspend();
    const tracker = {
      batch: { maxWaitMs: 0 },
      storage: { maxBytes: 256 * 1024 },
      delivery: { retryMaxMs: 100 },
    };
    const clock = new VirtualClock(Date.now());
    const site = await openSite(optionsOf(emulator, { tracker, limits: UNLIMITED, logger: SILENT, clock }));
    const ticket = await site.ticket();
    const taken: string[] = [];
    const kept: object[][] = [];
    for (let request = 0; request < 60; request += 1) {
      const batch = Array.from({ length: 10 }, () => pageEvent({ payload: { text: 'x'.repeat(1_000) } }));
      const { status } = await site.send({ batch, ticket });
      if (status === 202) taken.push(...batch.map(({ uuid }) => uuid));
      else {
        expect(status).toBe(503);
        kept.push(batch);
      }
    }
    expect(kept.length).toBeGreaterThan(10);
    expect(taken.length).toBeGreaterThan(50);
    expect(site.relay.isReady()).toBe(false);
    await clock.advance(10_000);
    // Otherwise no load balancer would ever let it try again.
    expect(site.relay.isReady()).toBe(true);
    expect((await site.send({ batch: kept[0] ?? [], ticket })).status).toBe(503);
    await emulator.resume();
    await emulator.waitForEvents(taken.length, { timeoutMs: PATIENCE.timeout });
    const missing = async () => {
      const arrived = new Set((await emulator.events()).map(({ uuid }) => uuid));
      return taken.filter((uuid) => !arrived.has(uuid));
    };
    await expect.poll(missing).toEqual([]);
    // The page has kept the others, and sends them again.
    for (const batch of kept) {
      await expect.poll(async () => (await site.send({ batch, ticket })).status).toBe(202);
      taken.push(...batch.map((event) => String(Reflect.get(event, 'uuid'))));
    }
    await expect.poll(missing).toEqual([]);
    expect(taken).toHaveLength(600);
    await clock.advance(10_000);
    expect(site.relay.isReady()).toBe(true);
  });

  it('is not answered for what was dropped before because the journal was full, also by a relay with a small window', async () => {
    const emulator = await service();
    await emulator.suspend();
    const tracker = { storage: { maxBytes: 512 * 1024 }, delivery: { retryMaxMs: 100 } };
    const limits = { ...UNLIMITED, windowBytes: 65_536 };
    const site = await openSite(optionsOf(emulator, { tracker, limits, logger: SILENT }));
    const ticket = await site.ticket();
    const batches = Array.from({ length: 20 }, () => Array.from({ length: 200 }, () => pageEvent()));
    const statusOf = async (batch: object[]) => (await site.send({ batch, ticket })).status;
    await Promise.all(batches.map(statusOf));
    await emulator.resume();
    // What is sent first is still in the table that is being emptied.
    for (const batch of [...batches.slice(8), ...batches.slice(0, 8)]) {
      await expect.poll(() => statusOf(batch)).toBe(202);
    }
    await expect.poll(() => site.relay.tracker?.stats()).toMatchObject({ pending: 0 });
    expect(await emulator.countEvents()).toMatchObject({ unique: 4_000 });
  });

  it('is not answered while the journal fails: beyond 100,000 events nothing new is taken, so that all are delivered once', async () => {
    const emulator = await service();
    await emulator.suspend();
    const journal = new FileJournal({ directory: await directory(), fsync: 'always', clock: systemClock });
    const append = journal.append.bind(journal);
    journal.append = () => Promise.reject(Object.assign(new Error('EIO'), { code: 'EIO' }));
    const tracker = { journal, buffer: { maxBytes: 2 ** 28 }, delivery: { retryMaxMs: 100 } };
    const site = await openSite(optionsOf(emulator, { tracker, limits: UNLIMITED, logger: SILENT }));
    const ticket = await site.ticket();
    const batches = Array.from({ length: 101 }, () => Array.from({ length: 1_000 }, () => pageEvent()));
    for (const batch of [...batches, ...batches.slice(0, 2)]) {
      expect(await site.send({ batch, ticket })).toMatchObject({
        status: 503,
        body: { error: 'not_durable' },
      });
    }
    expect(site.relay.tracker?.stats()).toMatchObject({ accepted: 100_000 });
    journal.append = append;
    for (const batch of batches) {
      await expect.poll(async () => (await site.send({ batch, ticket })).status).toBe(202);
    }
    await emulator.resume();
    await expect.poll(() => site.relay.tracker?.stats()).toMatchObject({ pending: 0 });
    expect(await emulator.countEvents()).toEqual({ unique: 101_000, received: 101_000 });
  });
});
