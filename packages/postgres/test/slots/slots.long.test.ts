import { randomUUID } from 'node:crypto';
import { systemClock } from '@sluice/protocol/toolbox';
import { expect, it, vi } from 'vitest';
import { PATIENCE } from '../../../../testing/patience.ts';
import { Database } from '../../src/database/database.ts';
import { SlotTable } from '../../src/slots/slot-table.ts';
import { ADA, describeFleet, numbered } from '../bench/fleet.ts';

/** A forwarder that sends few events at a time. */
const SLOWLY = { batch: { maxEvents: 100 }, delivery: { maxConcurrency: 1 } };
/** A service for which there is work until another forwarder has begun. */
const SLOW = { kind: 'latency', ms: 100 } as const;

describeFleet('A slot', (fleet) => {
  const slots = () => fleet.count('slot', 'outbox is null');

  it('that is empty and was not used for five minutes is deleted, and its publisher makes a new one', async () => {
    const publisher = fleet.tracker({ send: false });
    publisher.track('before', {}, ADA);
    await publisher.flush();
    const first = fleet.tracker();
    await fleet.delivered('before', 1);
    await first.flush();
    await first.close();
    expect(await slots()).toBe(1);
    await fleet.database.pool.query(`update ${fleet.schema}.slot set until = now() - interval '6 minutes'`);
    fleet.tracker();
    await vi.waitFor(async () => expect(await slots()).toBe(0), PATIENCE);
    publisher.track('after', {}, ADA);
    await publisher.flush();
    await fleet.delivered('after', 1);
  });

  it('that holds events is not deleted, however old', async () => {
    const { journal, crash } = await fleet.journal({ send: false });
    await journal.append(numbered('old', 1));
    await crash();
    await fleet.database.pool.query(`update ${fleet.schema}.slot set until = now() - interval '6 minutes'`);
    const { witness } = await fleet.journal();
    expect(witness.ranges).toHaveLength(1);
    expect(await slots()).toBe(1);
  });

  it('that is empty goes back, so that any forwarder takes what comes next', async () => {
    const { journal } = await fleet.journal({ send: false });
    await journal.append(numbered('first', 1));
    const { journal: forwarder, witness } = await fleet.journal();
    const owned = () => fleet.count('slot', 'owner is not null');
    expect(await owned()).toBe(1);
    for (const range of witness.ranges) await forwarder.acknowledge(range);
    await vi.waitFor(async () => expect(await owned()).toBe(0), PATIENCE);
    await journal.append(numbered('second', 1));
    await vi.waitFor(() => expect(witness.ranges).toHaveLength(2), PATIENCE);
    expect(witness.ranges[1]).toMatchObject({ from: 2, to: 3 });
  });

  it('that went back stays free, also if a renewal of before arrives after that', async () => {
    const { connectionString } = fleet.database.server;
    const database = new Database({ connectionString }, fleet.schema, systemClock, 60_000);
    const slots = new SlotTable({ database, owner: randomUUID(), part: undefined, leaseMs: 60_000 });
    const tenure = await slots.create(true);
    await slots.giveBack([tenure]);
    expect(await slots.renew([tenure])).toEqual([]);
    expect(await fleet.count('slot', 'owner is not null')).toBe(0);
    await database.close();
  });

  it('that a failover took back is not made again for another journal, while its own goes on to write it', async () => {
    const { pool } = fleet.database;
    const { journal: first } = await fleet.journal({ send: false, notify: false });
    const { journal: second } = await fleet.journal({ send: false, notify: false });
    const next = await fleet.ask(`select coalesce(max(id), 0) + 1 from ${fleet.schema}.slot`);
    await first.append(numbered('taken back', 1));
    // As on a standby that has not got these commits.
    await pool.query(`delete from ${fleet.schema}.parcel`);
    await pool.query(`delete from ${fleet.schema}.slot where outbox is null`);
    await pool.query(`alter table ${fleet.schema}.slot alter column id restart with ${next}`);
    for (let count = 0; count < 2; count += 1) await second.append(numbered('second', 1));
    await first.append(numbered('first', 1));
    expect(await fleet.count('parcel')).toBe(3);
  });

  it('of the outbox is shared: two forwarders that are both busy have some each', async () => {
    const slow = fleet.emulator.fail(SLOW);
    for (let slot = 0; slot < 16; slot += 1) await fleet.fillOutbox('shared', 1_000, slot);
    const forwarders = [fleet.tracker({ outbox: true }, SLOWLY), fleet.tracker({ outbox: true }, SLOWLY)];
    for (const forwarder of forwarders)
      await expect.poll(() => forwarder.stats().delivered).toBeGreaterThan(500);
    slow.stop();
    expect(await fleet.delivered('shared', 16_000)).toBe(16_000);
  });

  it('of a forwarder that has no room for more goes on to one that came later', async () => {
    const slow = fleet.emulator.fail(SLOW);
    for (let slot = 0; slot < 16; slot += 1) await fleet.fillOutbox('passed on', 1_000, slot);
    fleet.tracker({ outbox: true }, SLOWLY);
    await vi.waitFor(async () => expect(await fleet.count('slot', 'owner is not null')).toBe(16), PATIENCE);
    const later = fleet.tracker({ outbox: true }, SLOWLY);
    await vi.waitFor(() => expect(later.stats().delivered).toBeGreaterThan(500), PATIENCE);
    slow.stop();
    expect(await fleet.delivered('passed on', 16_000)).toBe(16_000);
  });
});
