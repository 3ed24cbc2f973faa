import { describe, expect, it } from 'vitest';
import { PATIENCE } from '../../../../testing/patience.ts';
import { openSite, optionsOf, pageEvent, SILENT, service } from '../bench/site.ts';

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
    const site = await openSite(optionsOf(emulator, { tracker, limits: UNLIMITED, logger: SILENT }));
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
  });
});
