import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { PATIENCE } from '../../../../testing/patience.ts';
import { ADA, describeFleet, upTo } from '../bench/fleet.ts';
import { type Owner, startOwner } from '../children/owner.ts';

const FORWARDERS = 3;
const ROUNDS = 12;
const EVENTS = 4_000;
const BATCH = 50;
/** How often ten events are tracked, in milliseconds: there is work for as long as the rounds take. */
const TRACK_MS = 80;
const TIMING = { leaseMs: 3_000, heldMs: 2_500 };

describeFleet('Forwarders', (fleet) => {
  it('that are killed and stopped again and again lose nothing, keep the order, and send only twice what was in a request', async () => {
    const options = { batch: { maxEvents: BATCH, maxWaitMs: 5 }, ordering: 'strict' };
    const start = () => startOwner(fleet, 'none', 0, options, TIMING);
    const forwarders: Owner[] = await Promise.all(upTo(FORWARDERS).map(start));
    const publisher = fleet.tracker({ send: false });
    let tracked = 0;
    const tracking = setInterval(() => {
      for (let count = 0; count < 10 && tracked < EVENTS; count += 1, tracked += 1)
        publisher.track('chaos', { number: tracked }, ADA);
    }, TRACK_MS);
    for (let round = 0; round < ROUNDS; round += 1) {
      const index = round % FORWARDERS;
      if (round % 2 === 0) {
        await forwarders[index]?.kill();
        forwarders[index] = await start();
      } else {
        forwarders[index]?.signal('SIGSTOP');
        await sleep(1.5 * TIMING.leaseMs);
        forwarders[index]?.signal('SIGCONT');
      }
    }
    await vi.waitFor(() => expect(tracked).toBe(EVENTS), PATIENCE);
    clearInterval(tracking);
    await publisher.flush();
    const received = await fleet.delivered('chaos', EVENTS);
    expect(await fleet.numbers('chaos')).toEqual(upTo(EVENTS));
    expect(received).toBeLessThanOrEqual(EVENTS + ROUNDS * BATCH);
    await vi.waitFor(async () => expect(await fleet.count('parcel')).toBe(0), PATIENCE);
  });
});
