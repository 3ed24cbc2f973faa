import { expect, it, vi } from 'vitest';
import { PATIENCE } from '../../../../testing/patience.ts';
import { describeFleet } from '../bench/fleet.ts';

const ALL = { maxEvents: 100, maxBytes: 1_000_000 };

/** As after a crash that took back the last commits (`synchronous_commit = off`), and after a failover that did. */
describeFleet('Events of the outbox with the numbers of others that are gone', (fleet) => {
  /** A forwarder that has listed ten events, whose numbers ten others have by now. */
  async function overtaken() {
    await fleet.fillOutbox('gone', 10);
    const { journal, witness } = await fleet.journal({ outbox: true });
    const recovered = (times: number) =>
      vi.waitFor(() => {
        expect(witness.ranges).toHaveLength(times);
        return witness.ranges.at(-1) ?? expect.fail('nothing was recovered');
      }, PATIENCE);
    const range = await recovered(1);
    const read = async (which = range) => {
      const { events } = await journal.read(which, ALL);
      return (
        Buffer.from(events.bytes)
          .toString()
          .match(/gone|new/g) ?? []
      );
    };
    const issueAgain = async () => {
      await fleet.database.pool.query(`truncate ${fleet.schema}.outbox restart identity`);
      await fleet.fillOutbox('new', 10);
    };
    return { issueAgain, journal, range, read, recovered, witness };
  }

  it('are not deleted in their place, and are taken next', async () => {
    const { issueAgain, journal, range, read, recovered } = await overtaken();
    await issueAgain();
    await journal.acknowledge(range);
    expect(await fleet.count('outbox')).toBe(10);
    const next = await recovered(2);
    expect(await read(next)).toEqual(Array(10).fill('new'));
    await journal.acknowledge(next);
    expect(await fleet.count('outbox')).toBe(0);
  });

  it('are not sent in their place', async () => {
    const { issueAgain, range, read, witness } = await overtaken();
    expect(await read()).toEqual(Array(10).fill('gone'));
    await issueAgain();
    expect(await read()).toEqual([]);
    expect(witness.settlements).toEqual([{ range, fate: 'delivered' }]);
  });
});
