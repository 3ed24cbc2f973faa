import { expect, it, vi } from 'vitest';
import { PATIENCE } from '../../../../testing/patience.ts';
import { describeFleet, numbered, part } from '../bench/fleet.ts';
import { SHORT } from '../bench/journals.ts';

/** One event of ten is not released, as by a tracker that has suspects. */
describeFleet('Events that wait for a reason of their own', (fleet) => {
  it('of the outbox hold up no others', async () => {
    await fleet.fillOutbox('waits', 30_000);
    const { journal, witness } = await fleet.journal({ outbox: true, notify: false });
    let seen = 0;
    let recovered = 0;
    await vi.waitFor(
      async () => {
        for (; seen < witness.ranges.length; seen += 1) {
          const range = witness.ranges[seen];
          if (!range) break;
          recovered += range.to;
          // One of ten stays.
          const releases = [];
          for (let from = 0; from < range.to; from += 10)
            releases.push(journal.acknowledge(part(range, from + 1, Math.min(from + 10, range.to))));
          await Promise.all(releases);
        }
        expect(recovered).toBe(30_000);
      },
      { ...PATIENCE, interval: 20 },
    );
  });

  it('hold up no others, however large they are', async () => {
    await fleet.database.pool.query(
      `insert into ${fleet.schema}.outbox (slot, body) select number % 16, json_build_object('text', repeat('x', 240000))::text
        from generate_series(1, 144) as number`,
    );
    const { journal, witness } = await fleet.journal({ outbox: true, notify: false });
    const read = async (): Promise<number> => {
      let seen = 0;
      for (const range of witness.ranges)
        for (let { from } = range; from < range.to; seen += 1)
          from = (await journal.read({ ...range, from }, { maxEvents: 500, maxBytes: 1_000_000 })).range.to;
      return seen;
    };
    const known = () => witness.ranges.reduce((sum, { from, to }) => sum + to - from, 0);
    await vi.waitFor(() => expect(known()).toBeGreaterThan(130), PATIENCE);
    await fleet.fillOutbox('small', 1_000);
    // Read, and not released: as by a tracker that has put them back.
    await vi.waitFor(async () => {
      await read();
      expect(known()).toBe(1_144);
    }, PATIENCE);
  });

  it('hold up no others of a slot that was to go on to another forwarder', async () => {
    for (const slot of [0, 1]) await fleet.fillOutbox('stays', 10_000, slot);
    const { journal, witness } = await fleet.journal({ outbox: true, notify: false }, { idleMs: 0 });
    let seen = 0;
    let recovered = 0;
    await vi.waitFor(
      async () => {
        for (; seen < witness.ranges.length; seen += 1) {
          const range = witness.ranges[seen];
          if (!range) break;
          recovered += range.to;
          await journal.acknowledge(part(range, 1, range.to));
        }
        expect(recovered).toBe(20_000);
      },
      { ...PATIENCE, interval: 20 },
    );
  });

  it('of other trackers hold up no others', async () => {
    const { journal: left, crash } = await fleet.journal({}, SHORT);
    await Promise.all(Array.from({ length: 3_500 }, () => left.append(numbered('left', 2))));
    await crash();
    const { journal, witness } = await fleet.journal({ notify: false });
    let seen = 0;
    await vi.waitFor(
      async () => {
        for (; seen < witness.ranges.length; seen += 1) {
          const range = witness.ranges[seen];
          // Of one parcel in ten, an event stays.
          if (range) await journal.acknowledge(seen % 10 === 0 ? part(range, 0, 1) : range);
        }
        expect(seen).toBe(3_500);
      },
      { ...PATIENCE, interval: 20 },
    );
  });
});
