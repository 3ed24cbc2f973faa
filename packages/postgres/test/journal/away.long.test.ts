import pg from 'pg';
import { expect, it, vi } from 'vitest';
import { PATIENCE } from '../../../../testing/patience.ts';
import { ADA, describeFleet, numbered } from '../bench/fleet.ts';

describeFleet('While PostgreSQL is away', (fleet) => {
  it('a tracker delivers from memory, and stores events again once it is back', async () => {
    const postgres = fleet.database.server;
    const tracker = fleet.tracker();
    for (let number = 0; number < 100; number += 1) tracker.track('before', { number }, ADA);
    await fleet.delivered('before', 100);
    await postgres.stop('immediate');
    for (let number = 0; number < 100; number += 1) tracker.track('meanwhile', { number }, ADA);
    expect(await fleet.delivered('meanwhile', 100)).toBe(100);
    await expect.poll(() => tracker.stats().journal).toBe('memory');
    await postgres.start();
    await vi.waitFor(async () => {
      tracker.track('after', {}, ADA);
      await tracker.durable();
    }, PATIENCE);
    expect(tracker.stats().journal).toBe('postgres');
    await tracker.flush();
    expect(tracker.stats().pending).toBe(0);
    await vi.waitFor(async () => expect(await fleet.count('parcel')).toBe(0), PATIENCE);
  });

  it('a tracker that does not send keeps its events in memory, and hands them over once it is back', async () => {
    const postgres = fleet.database.server;
    const publisher = fleet.tracker({ send: false });
    fleet.tracker();
    publisher.track('kept', {}, ADA);
    await publisher.flush();
    await postgres.stop('immediate');
    for (let number = 0; number < 100; number += 1) publisher.track('kept', { number }, ADA);
    expect(await publisher.flush({ timeoutMs: 500 })).toMatchObject({ pending: 100 });
    await postgres.start();
    expect(await publisher.flush({ timeoutMs: 60_000 })).toMatchObject({ pending: 0 });
    expect(await fleet.delivered('kept', 101)).toBe(101);
  });

  it('a tracker can be started, and finds what others left once it is back', async () => {
    const postgres = fleet.database.server;
    await fleet.fillOutbox('left', 100);
    await postgres.stop('fast');
    const tracker = fleet.tracker({ outbox: true });
    tracker.track('first', {}, ADA);
    expect(await fleet.delivered('first', 1)).toBe(1);
    await postgres.start();
    expect(await fleet.delivered('left', 100)).toBe(100);
  });

  it('and is killed again and again under load, nothing is lost that was durable', async () => {
    const postgres = fleet.database.server;
    const publisher = fleet.tracker({ send: false });
    const tracker = fleet.tracker();
    fleet.tracker();
    let durable = 0;
    for (let round = 0; round < 5; round += 1) {
      for (let number = 0; number < 200; number += 1) {
        tracker.track('own', { round, number }, ADA);
        publisher.track('handed', { round, number }, ADA);
      }
      await Promise.all([tracker.durable(), publisher.durable()]).then(
        () => {
          durable += 1;
        },
        () => {},
      );
      await postgres.stop('kill');
      await postgres.start();
    }
    await publisher.flush({ timeoutMs: 60_000 });
    await Promise.all([fleet.delivered('own', 1_000), fleet.delivered('handed', 1_000)]);
    expect(durable).toBeGreaterThan(0);
    await vi.waitFor(async () => expect(await fleet.count('parcel')).toBe(0), PATIENCE);
  });

  it('a connection to a server that takes no changes any more is closed: the next one may lead to the primary', async () => {
    const { connectionString } = fleet.database.server;
    const pool = new pg.Pool({ connectionString, max: 1 });
    const { journal } = await fleet.journal({ pool, send: false, notify: false });
    await journal.append(numbered('before', 1));
    await pool.query('set default_transaction_read_only = on');
    await expect(journal.append(numbered('after', 1))).rejects.toThrow('read-only transaction');
    await journal.append(numbered('after', 1));
    expect(await fleet.count('parcel')).toBe(2);
    await journal.close();
    await pool.end();
  });
});
