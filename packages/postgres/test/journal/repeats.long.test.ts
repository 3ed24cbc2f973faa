import { randomUUID } from 'node:crypto';
import { systemClock } from '@sluice/protocol/toolbox';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { PATIENCE } from '../../../../testing/patience.ts';
import { Database } from '../../src/database/database.ts';
import { ParcelTable } from '../../src/parcels/parcel-table.ts';
import { ADA, describeFleet, numbered } from '../bench/fleet.ts';
import { Network } from '../bench/network.ts';

const NEVER_MS = 600_000;
/** The journal asks for nothing by itself. */
const SELDOM = {
  ...{ leaseMs: NEVER_MS, heldMs: NEVER_MS, renewMs: NEVER_MS },
  ...{ leastPollMs: NEVER_MS, mostPollMs: NEVER_MS },
};

describeFleet('An append whose outcome is unknown', (fleet) => {
  let network: Network;
  beforeEach(async () => {
    network = await Network.start(fleet.database.server.port);
  });
  afterEach(async () => {
    await fleet.end();
    await network.close();
  });

  const behind = () => ({ pool: { connectionString: network.connectionString } });

  it('is repeated, and stores nothing twice', async () => {
    // One that sends repeats it for 3 s only.
    const { journal } = await fleet.journal({ ...behind(), send: false, notify: false }, SELDOM);
    await journal.append(numbered('first', 1));
    for (let count = 1; count <= 10; count += 1) {
      network.loseAnswer();
      const range = await journal.append(numbered('next', 10));
      expect(range.to - range.from).toBe(10);
      expect(await fleet.ask(`select sum(events) from ${fleet.schema}.parcel`)).toBe(String(1 + count * 10));
    }
  });

  it('is not repeated if a forwarder has sent the events meanwhile', async () => {
    const forwarder = fleet.tracker({}, {}, { leastPollMs: 5, mostPollMs: 10 });
    const publisher = fleet.tracker({ ...behind(), send: false });
    for (let count = 1; count <= 20; count += 1) {
      publisher.track('once', { count }, ADA);
      if (count > 1) network.loseAnswer();
      await publisher.flush();
    }
    expect(await fleet.delivered('once', 20)).toBe(20);
    await vi.waitFor(
      () => expect(forwarder.stats()).toMatchObject({ recovered: 20, delivered: 20 }),
      PATIENCE,
    );
    expect(await fleet.count('parcel')).toBe(0);
  });

  it('is repeated in a new slot if its own, which was empty, is deleted', async () => {
    const { journal } = await fleet.journal({ ...behind(), send: false, notify: false }, SELDOM);
    const range = await journal.append(numbered('first', 1));
    await fleet.ask(`delete from ${fleet.schema}.parcel`);
    await fleet.ask(`delete from ${fleet.schema}.slot where outbox is null`);
    network.loseAnswer();
    expect((await journal.append(numbered('second', 10))).segment).not.toBe(range.segment);
    expect(await fleet.ask(`select sum(events) from ${fleet.schema}.parcel`)).toBe('10');
  });

  it('is given up when PostgreSQL stays away, and what it stored late is deleted before the events are stored again', async () => {
    const { journal } = await fleet.journal({ ...behind(), timeoutMs: 5_000 }, SELDOM);
    await journal.append(numbered('first', 1));
    const lock = await fleet.database.pool.connect();
    await lock.query('begin');
    await lock.query(`lock table ${fleet.schema}.parcel in share mode`);
    const waiting = () => fleet.ask(`select count(*) from pg_stat_activity where wait_event_type = 'Lock'`);
    const second = journal.append(numbered('second', 5));
    await vi.waitFor(async () => expect(await waiting()).toBe('1'), PATIENCE);
    network.cut();
    network.open();
    await expect(second).rejects.toThrow('is unknown');
    // Now PostgreSQL stores the events of connections that are gone.
    await lock.query('commit');
    lock.release();
    await vi.waitFor(() => journal.append(numbered('second', 5)), PATIENCE);
    await vi.waitFor(async () => expect(await waiting()).toBe('0'), PATIENCE);
    await vi.waitFor(
      async () => expect(await fleet.ask(`select sum(events) from ${fleet.schema}.parcel`)).toBe('6'),
      PATIENCE,
    );
  });

  /** Inserts a parcel as a connection does that was given up, and whose bytes arrive only now. */
  async function insertLate(seq: number): Promise<void> {
    const { connectionString } = fleet.database.server;
    const database = new Database({ connectionString }, fleet.schema, systemClock, 10_000);
    const slot = await fleet.ask(`select max(id) from ${fleet.schema}.slot where outbox is null`);
    const body = { bytes: new Uint8Array(20), isGzipped: false };
    await new ParcelTable(database, randomUUID()).insert(
      Number(slot),
      [{ seq, events: 1, at: 0, body }],
      false,
    );
    await database.close();
  }

  it('is not stored again by its first insert, if that comes after its repeat was sent', async () => {
    const { journal } = await fleet.journal({ ...behind(), notify: false }, SELDOM);
    await journal.append(numbered('first', 1));
    network.loseAnswer();
    const { from, ...range } = await journal.append(numbered('second', 1));
    await journal.acknowledge({ from, ...range });
    expect(await fleet.count('parcel')).toBe(1);
    await insertLate(from);
    expect(await fleet.count('parcel')).toBe(1);
    await journal.append(numbered('third', 1));
    expect(await fleet.count('parcel')).toBe(2);
  });

  it('is not stored again by its first insert, if that comes after a forwarder has sent it', async () => {
    const publisher = fleet.tracker({ send: false });
    publisher.track('handed', {}, ADA);
    await publisher.flush();
    fleet.tracker();
    await fleet.delivered('handed', 1);
    await expect.poll(() => fleet.count('parcel')).toBe(0);
    await insertLate(1);
    expect(await fleet.count('parcel')).toBe(0);
  });

  it('and other statements are cancelled when they take too long: those that wait for a lock take no connections', async () => {
    const { journal } = await fleet.journal({ timeoutMs: 4_000 });
    await journal.append(numbered('first', 1));
    const lock = await fleet.database.pool.connect();
    await lock.query('begin');
    await lock.query(`lock table ${fleet.schema}.parcel`);
    for (let count = 0; count < 6; count += 1)
      await expect(journal.append(numbered('second', 1))).rejects.toThrow('no answer within 4000 ms');
    expect(
      Number(await fleet.ask(`select count(*) from pg_stat_activity where wait_event_type = 'Lock'`)),
    ).toBeLessThan(4);
    await lock.query('commit');
    lock.release();
    await journal.append(numbered('second', 1));
    expect(await fleet.ask(`select sum(events) from ${fleet.schema}.parcel`)).toBe('2');
  });
});
