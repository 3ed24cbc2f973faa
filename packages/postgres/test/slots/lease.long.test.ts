import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { PATIENCE } from '../../../../testing/patience.ts';
import { ADA, describeFleet, group, numbered } from '../bench/fleet.ts';
import { makeJournal, SHORT } from '../bench/journals.ts';
import { Network } from '../bench/network.ts';

describeFleet('The lease of a slot', (fleet) => {
  let network: Network;
  beforeEach(async () => {
    network = await Network.start(fleet.database.server.port);
  });
  afterEach(async () => {
    network.open();
    await fleet.end();
    await network.close();
  });

  const behind = () => ({ pool: { connectionString: network.connectionString } });

  it('ends for an owner that cannot reach PostgreSQL: another forwarder sends, and the owner counts its events as handed over', async () => {
    await fleet.emulator.suspend();
    const owner = fleet.tracker(behind(), {}, SHORT);
    for (let number = 0; number < 100; number += 1) owner.track('handed', { number }, ADA);
    await owner.durable();
    network.cut();
    const other = fleet.tracker();
    await vi.waitFor(() => expect(other.stats().recovered).toBe(100), PATIENCE);
    expect(owner.stats()).toMatchObject({ delivered: 100, pending: 0 });
    await fleet.emulator.resume();
    expect(await fleet.delivered('handed', 100)).toBe(100);
    expect(owner.stats()).toMatchObject({ accepted: 100, recovered: 0, delivered: 100, pending: 0 });
  });

  it('ends, and the tracker goes on from memory, and in a new slot once PostgreSQL is back', async () => {
    const owner = fleet.tracker(behind(), {}, SHORT);
    owner.track('before', {}, ADA);
    await fleet.delivered('before', 1);
    network.cut();
    const since = performance.now();
    await vi.waitFor(async () => {
      owner.track('meanwhile', {}, ADA);
      await owner.flush({ timeoutMs: 500 });
      expect((await fleet.emulator.countEvents({ name: 'meanwhile' })).unique).toBeGreaterThan(3);
      // The lease has ended.
      expect(performance.now() - since).toBeGreaterThan(2 * SHORT.leaseMs);
    }, PATIENCE);
    network.open();
    owner.retryNow();
    await vi.waitFor(async () => {
      owner.track('after', {}, ADA);
      await owner.durable();
    }, PATIENCE);
    await owner.flush();
    const { accepted, delivered, dropped, pending, recovered } = owner.stats();
    expect({ total: accepted + recovered, pending }).toEqual({ total: delivered, pending: 0 });
    expect(Object.values(dropped).every((count) => count === 0)).toBe(true);
    await expect.poll(() => fleet.count('parcel')).toBe(0);
  });

  it('can be had again by its owner if nobody took the slot', async () => {
    const { journal, witness } = await fleet.journal(behind(), SHORT);
    const range = await journal.append(group(['1', '2', '3']));
    await journal.acknowledge({ ...range, to: range.from + 1 });
    network.cut();
    await vi.waitFor(() => expect(witness.settlements).toHaveLength(1), PATIENCE);
    expect(witness.settlements[0]?.range.segment).toBe(range.segment);
    // The answer came in time, but PostgreSQL cannot be told now.
    await expect(journal.acknowledge({ ...range, from: range.from + 2 })).rejects.toThrow('cannot release');
    network.open();
    await vi.waitFor(() => expect(witness.ranges).toHaveLength(1), PATIENCE);
    expect(witness.ranges).toEqual([
      { segment: range.segment + 1, from: range.from + 1, to: range.from + 2 },
    ]);
  });

  it('can be had again after an append during which it ended: what that stored is sent once', async () => {
    const { database, schema } = fleet;
    const journal = makeJournal(database, schema, { ...behind(), timeoutMs: 60_000 }, SHORT);
    const tracker = fleet.tracker({}, { journal });
    tracker.track('before', {}, ADA);
    await tracker.flush();
    await expect.poll(() => fleet.count('parcel')).toBe(0);
    network.pause();
    for (let number = 0; number < 100; number += 1) tracker.track('during', { number }, ADA);
    await expect.poll(() => journal.sharing.maySend).toBe(false);
    await fleet.emulator.suspend();
    network.resume();
    await expect.poll(() => tracker.stats().recovered).toBe(100);
    await fleet.emulator.resume();
    tracker.retryNow();
    await tracker.flush();
    await vi.waitFor(async () => expect(await fleet.count('parcel')).toBe(0), PATIENCE);
    expect(await fleet.delivered('during', 100)).toBe(100);
  });

  it('is over for an owner whose epoch has passed: it deletes nothing any more', async () => {
    const { journal, witness } = await fleet.journal({}, SHORT);
    const range = await journal.append(numbered('kept', 10));
    await fleet.database.pool.query(`update ${fleet.schema}.slot set epoch = epoch + 1 where outbox is null`);
    await journal.acknowledge(range);
    expect(await fleet.count('parcel')).toBe(1);
    await vi.waitFor(() => expect(witness.settlements).not.toEqual([]), PATIENCE);
    expect(witness.settlements[0]?.range.segment).toBe(range.segment);
    // Its next events go to another slot.
    expect((await journal.append(numbered('next', 1))).segment).not.toBe(range.segment);
    expect(await fleet.count('slot', 'outbox is null')).toBe(2);
  });

  it('is over for an owner that a failover forgot, although the next owner has the same epoch', async () => {
    await fleet.fillOutbox('mine', 10);
    const { journal, witness } = await fleet.journal({ outbox: true }, SHORT);
    const range = witness.ranges[0] ?? expect.unreachable();
    const parcel = await journal.append(numbered('own', 1));
    // What a standby has that did not get the last statements, and the next forwarder.
    await fleet.ask(`update ${fleet.schema}.slot set owner = gen_random_uuid() where owner is not null`);
    await journal.acknowledge({ ...range, to: 5 });
    await journal.acknowledge(parcel);
    expect(await fleet.count('outbox')).toBe(10);
    expect(await fleet.count('parcel')).toBe(1);
    const lost = new Set([range.segment, parcel.segment]);
    await vi.waitFor(
      () => expect(new Set(witness.settlements.map((each) => each.range.segment))).toEqual(lost),
      PATIENCE,
    );
  });

  it('is renewed though PostgreSQL does not answer one renewal in time', async () => {
    const { journal, witness } = await fleet.journal({ timeoutMs: 600_000 });
    const range = await journal.append(numbered('mine', 10));
    const lock = await fleet.database.pool.connect();
    await lock.query('begin');
    await lock.query(`select from ${fleet.schema}.slot where outbox is null for update`);
    const waiting = () => fleet.ask(`select count(*) from pg_stat_activity where wait_event_type = 'Lock'`);
    await expect.poll(waiting).toBe('1');
    await expect.poll(waiting, { interval: 5 }).toBe('0');
    await lock.query('rollback');
    lock.release();
    const before = await fleet.leasedUntil();
    await expect.poll(() => fleet.leasedUntil()).not.toBe(before);
    expect(witness.settlements).toEqual([]);
    expect((await journal.read(range, { maxEvents: 100, maxBytes: 100_000 })).events.ends).toHaveLength(10);
  });

  it('is renewed for as long as its owner lives', async () => {
    const { journal } = await fleet.journal({}, SHORT);
    const range = await journal.append(numbered('mine', 10));
    const { witness } = await fleet.journal();
    const first = await fleet.leasedUntil();
    await expect.poll(() => fleet.isPast(first)).toBe(true);
    // The other one has looked again by now.
    const next = await fleet.leasedUntil();
    await expect.poll(() => fleet.isPast(next)).toBe(true);
    expect(witness.ranges).toEqual([]);
    expect((await journal.read(range, { maxEvents: 100, maxBytes: 100_000 })).events.ends).toHaveLength(10);
  });
});
