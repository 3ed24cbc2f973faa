import { expect, it, vi } from 'vitest';
import { PATIENCE } from '../../../../testing/patience.ts';
import { ADA, describeFleet, numbered, part, upTo } from '../bench/fleet.ts';
import { SHORT } from '../bench/journals.ts';

describeFleet('A tracker with a journal on PostgreSQL', (fleet) => {
  const isEmpty = (table: 'parcel' | 'outbox' = 'parcel') =>
    vi.waitFor(async () => expect(await fleet.count(table)).toBe(0), PATIENCE);

  it('delivers what it tracks, once, and leaves nothing in the tables', async () => {
    const tracker = fleet.tracker();
    for (let number = 0; number < 1_000; number += 1) tracker.track('tracked', { number }, ADA);
    expect(await fleet.delivered('tracked', 1_000)).toBe(1_000);
    await tracker.flush();
    expect(tracker.stats()).toMatchObject({
      accepted: 1_000,
      delivered: 1_000,
      pending: 0,
      journal: 'postgres',
    });
    expect(await fleet.count('parcel')).toBe(0);
    await tracker.close();
    expect(await fleet.count('slot', 'outbox is null')).toBe(0);
  });

  it('is durable once its events are in the table', async () => {
    await fleet.emulator.suspend();
    const tracker = fleet.tracker();
    for (let number = 0; number < 10; number += 1) tracker.track('durable', { number }, ADA);
    await tracker.durable();
    expect(await fleet.ask(`select sum(events) from ${fleet.schema}.parcel`)).toBe('10');
    await fleet.emulator.resume();
    await fleet.delivered('durable', 10);
  });

  it('stores new events while the deletion of others waits', async () => {
    const { journal } = await fleet.journal();
    const first = await journal.append(numbered('first', 1));
    const lock = await fleet.database.pool.connect();
    await lock.query('begin');
    await lock.query(`select from ${fleet.schema}.parcel for update`);
    const deleted = journal.acknowledge(first);
    const waiting = () => fleet.ask(`select count(*) from pg_stat_activity where wait_event_type = 'Lock'`);
    await vi.waitFor(async () => expect(await waiting()).toBe('1'), PATIENCE);
    const second = await journal.append(numbered('second', 1)).catch((error: Error) => error);
    await lock.query('commit');
    lock.release();
    expect(second).not.toBeInstanceOf(Error);
    await deleted;
    expect(await fleet.count('parcel')).toBe(1);
  });

  it('hands its events over if it does not send, and a forwarder delivers them', async () => {
    const publisher = fleet.tracker({ send: false });
    const forwarder = fleet.tracker();
    for (let number = 0; number < 500; number += 1) publisher.track('handed', { number }, ADA);
    const { delivered, pending } = await publisher.flush();
    expect({ delivered, pending }).toEqual({ delivered: 500, pending: 0 });
    expect(await fleet.delivered('handed', 500)).toBe(500);
    await isEmpty();
    await expect
      .poll(() => forwarder.stats())
      .toMatchObject({ accepted: 0, recovered: 500, delivered: 500, pending: 0 });
    // The forwarder looks again for what a publisher adds.
    for (let number = 0; number < 500; number += 1) publisher.track('later', { number }, ADA);
    expect(await fleet.delivered('later', 500)).toBe(500);
  });

  it('takes over what the owner of a slot left that crashed, after the lease', async () => {
    const { journal, crash } = await fleet.journal({}, SHORT);
    const range = await journal.append(numbered('left', 300));
    await journal.acknowledge(part(range, 10, 20));
    await crash();
    const until = await fleet.leasedUntil();
    const forwarder = fleet.tracker();
    expect(await fleet.delivered('left', 290)).toBe(290);
    expect(await fleet.isPast(until)).toBe(true);
    await isEmpty();
    await expect.poll(() => forwarder.stats()).toMatchObject({ recovered: 290, delivered: 290, pending: 0 });
  });

  it('gives its events back at once when it is closed', async () => {
    await fleet.emulator.suspend();
    const first = fleet.tracker();
    for (let number = 0; number < 100; number += 1) first.track('given', { number }, ADA);
    await first.close({ timeoutMs: 100 });
    await fleet.emulator.resume();
    fleet.tracker();
    await fleet.delivered('given', 100);
    await isEmpty();
  });

  it('delivers what two trackers left, each in its order', async () => {
    for (const name of ['one', 'two']) {
      const { journal, crash } = await fleet.journal({}, SHORT);
      await journal.append(numbered(name, 50));
      await journal.append(numbered(name, 50));
      await crash();
    }
    fleet.tracker({}, { ordering: 'strict' });
    for (const name of ['one', 'two']) {
      await fleet.delivered(name, 100);
      expect(await fleet.numbers(name)).toEqual([...upTo(50), ...upTo(50)]);
    }
  });

  it('delivers a committed event of the outbox, also one that commits late, and none that is rolled back', async () => {
    const client = await fleet.database.pool.connect();
    await client.query('begin');
    await client.query(`insert into ${fleet.schema}.outbox (slot, body) values (1, '{}')`);
    await client.query('rollback');
    // Its number is lower than those that are committed meanwhile.
    await client.query('begin');
    await client.query(
      `insert into ${fleet.schema}.outbox (slot, body) select 1, json_build_object('event', 'late', 'correlationKey', 'email',
        'correlationValue', 'ada@example.com', 'source', 'custom', 'uuid', gen_random_uuid())::text`,
    );
    const forwarder = fleet.tracker({ outbox: true });
    await fleet.fillOutbox('early', 100, 1);
    expect(await fleet.delivered('early', 100)).toBe(100);
    await client.query('commit');
    client.release();
    expect(await fleet.delivered('late', 1)).toBe(1);
    await isEmpty('outbox');
    await expect.poll(() => forwarder.stats()).toMatchObject({ recovered: 101, delivered: 101, pending: 0 });
  });

  it('keeps the order within a slot of the outbox', async () => {
    for (const slot of [0, 1, 2]) await fleet.fillOutbox(`slot ${slot}`, 1_000, slot);
    fleet.tracker({ outbox: true }, { ordering: 'strict' });
    for (const slot of [0, 1, 2]) {
      await fleet.delivered(`slot ${slot}`, 1_000);
      expect(await fleet.numbers(`slot ${slot}`)).toEqual(upTo(1_000));
    }
  });
});
