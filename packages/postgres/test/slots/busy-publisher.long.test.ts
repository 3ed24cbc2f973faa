import { expect, it } from 'vitest';
import { describeFleet, numbered } from '../bench/fleet.ts';

describeFleet('A publisher whose commits take long', (fleet) => {
  it('holds up none of its events that are committed', async () => {
    const { journal } = await fleet.journal({ send: false, notify: false });
    await journal.append(numbered('committed', 10));
    // As an insert that waits for its commit, such as for a standby.
    const client = await fleet.database.pool.connect();
    await client.query('begin');
    await client.query(
      `insert into ${fleet.schema}.parcel (slot, seq, events, at, gzipped, body)
          select id, 1000, 1, now(), false, '' from ${fleet.schema}.slot where outbox is null`,
    );
    fleet.tracker();
    const arrived = await Promise.race([
      fleet.delivered('committed', 10),
      new Promise((resolve) => setTimeout(resolve, 8_000, 'not within 8 s')),
    ]);
    await client.query('rollback');
    client.release();
    expect(arrived).toBe(10);
  });
});
