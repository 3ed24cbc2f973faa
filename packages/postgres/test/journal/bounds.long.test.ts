import type { Tracker } from '@sluice/core';
import { expect, it, vi } from 'vitest';
import { isFull } from '../../../../testing/full.ts';
import { PATIENCE } from '../../../../testing/patience.ts';
import { describeFleet, group } from '../bench/fleet.ts';
import { SHORT } from '../bench/journals.ts';

const [EVENTS, SLOTS] = [isFull ? 100_000 : 32_000, 16];

/** How many events a tracker knows of half a second after these: as long as it could have taken too many. */
async function recoveredAfter(least: number, tracker: Pick<Tracker, 'stats'>): Promise<number> {
  await vi.waitFor(() => expect(tracker.stats().recovered).toBeGreaterThan(least), PATIENCE);
  await new Promise((resolve) => setTimeout(resolve, 500));
  return tracker.stats().recovered;
}

describeFleet('What a forwarder knows of the tables', (fleet) => {
  it('is at most some thousand events, of many that wait in the outbox', async () => {
    for (let slot = 0; slot < SLOTS; slot += 1) await fleet.fillOutbox('waits', EVENTS / SLOTS, slot);
    const forwarder = fleet.tracker({ outbox: true }, { delivery: { maxConcurrency: 4 } });
    let most = 0;
    const look = setInterval(() => {
      most = Math.max(most, forwarder.stats().pending);
    }, 5);
    expect(await fleet.delivered('waits', EVENTS)).toBe(EVENTS);
    clearInterval(look);
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThan(5_000);
    await vi.waitFor(async () => expect(await fleet.count('outbox')).toBe(0), PATIENCE);
    await expect
      .poll(() => forwarder.stats())
      .toMatchObject({ recovered: EVENTS, delivered: EVENTS, pending: 0 });
  });

  it('is at most some megabytes of large events', async () => {
    await fleet.emulator.suspend();
    await fleet.database.pool.query(
      `insert into ${fleet.schema}.outbox (slot, body) select number % 16, json_build_object('event', 'large',
        'correlationKey', 'email', 'correlationValue', 'ada@example.com', 'source', 'custom', 'uuid', gen_random_uuid(),
        'payload', json_build_object('text', repeat('x', 200000)))::text from generate_series(1, 600) as number`,
    );
    const forwarder = fleet.tracker({ outbox: true }, { batch: { maxBytes: 1_000_000 } });
    expect(await recoveredAfter(150, forwarder)).toBeLessThan(400);
    await fleet.emulator.resume();
    forwarder.retryNow();
    await fleet.delivered('large', 600);
  });

  it('is at most some hundred parcels of those that a tracker left that crashed', async () => {
    const { journal, crash } = await fleet.journal({}, SHORT);
    const event = JSON.stringify({
      event: 'left',
      correlationKey: 'email',
      correlationValue: 'a',
      source: 'custom',
    });
    const appends = Array.from({ length: 2_000 }, () => journal.append(group([event, event])));
    await Promise.all(appends);
    await crash();
    await fleet.emulator.suspend();
    const forwarder = fleet.tracker();
    expect(await recoveredAfter(0, forwarder)).toBeLessThan(600);
    await fleet.emulator.resume();
    forwarder.retryNow();
    await fleet.delivered('left', 4_000);
  });
});
