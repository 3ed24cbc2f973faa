import { expect, it, vi } from 'vitest';
import { PATIENCE } from '../../../../testing/patience.ts';
import { describeFleet } from '../bench/fleet.ts';
import { type Owner, startOwner } from '../children/owner.ts';

const EVENTS = 1_000;
const BATCH = 50;
/** One request at a time. */
const SLOWLY = { batch: { maxEvents: BATCH, maxWaitMs: 5 }, delivery: { maxConcurrency: 1 } };

describeFleet('The owner of a slot', (fleet) => {
  /** Resolves once some events have arrived, but not all. */
  async function begun(name: string): Promise<Owner> {
    fleet.emulator.fail({ kind: 'latency', ms: 30 });
    const owner = await startOwner(fleet, name, EVENTS, SLOWLY);
    await vi.waitFor(async () => {
      const { unique } = await fleet.emulator.countEvents({ name });
      expect(unique).toBeGreaterThan(0);
    }, PATIENCE);
    return owner;
  }

  it('that is stopped for longer than its lease sends and deletes nothing of it when it goes on', async () => {
    const owner = await begun('stopped');
    owner.signal('SIGSTOP');
    const forwarder = fleet.tracker();
    await fleet.delivered('stopped', EVENTS);
    const { recovered } = forwarder.stats();
    expect(recovered).toBeGreaterThan(0);
    owner.signal('SIGCONT');
    expect(await owner.books()).toMatchObject({
      accepted: EVENTS,
      delivered: EVENTS,
      pending: 0,
      recovered: 0,
    });
    // Only what was in a request may have been sent twice.
    expect(await fleet.delivered('stopped', EVENTS)).toBeLessThanOrEqual(EVENTS + BATCH);
    await vi.waitFor(async () => expect(await fleet.count('parcel')).toBe(0), PATIENCE);
  });

  it('that is killed sends all but what is delivered through another forwarder', async () => {
    const owner = await begun('killed');
    await owner.kill();
    fleet.tracker();
    expect(await fleet.delivered('killed', EVENTS)).toBeLessThanOrEqual(EVENTS + BATCH);
    await vi.waitFor(async () => expect(await fleet.count('parcel')).toBe(0), PATIENCE);
  });
});
