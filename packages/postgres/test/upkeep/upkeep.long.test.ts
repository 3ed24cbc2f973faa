import { whyNoPostgres } from '@sluice/test-servers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { PATIENCE } from '../../../../testing/patience.ts';
import { ADA, Fleet, numbered } from '../bench/fleet.ts';

describe.skipIf(whyNoPostgres() !== undefined)('The tables of a journal', () => {
  let fleet: Fleet;
  beforeAll(async () => {
    fleet = await Fleet.start({ settings: { autovacuum: 'off' } });
  });
  afterAll(() => fleet?.close());
  beforeEach(() => fleet.begin());
  afterEach(() => fleet.end());

  it('are vacuumed by a journal after some hundred parcels', async () => {
    const { journal } = await fleet.journal();
    for (let round = 0; round < 10; round += 1) {
      const appends = Array.from({ length: 50 }, () => journal.append(numbered('released', 1)));
      await Promise.all((await Promise.all(appends)).map((range) => journal.acknowledge(range)));
    }
    await vi.waitFor(async () => {
      const where = `schemaname = '${fleet.schema}' and vacuum_count > 0`;
      expect(await fleet.server.ask(`select count(*) from pg_stat_all_tables where ${where}`)).toBe('3');
    }, PATIENCE);
  });

  it('have a status: their sizes, what holds vacuum back, and how safe a commit is', async () => {
    const { journal } = await fleet.journal({
      pool: {
        connectionString: `${fleet.server.postgres.connectionString}?options=-c%20synchronous_commit%3Dlocal`,
      },
    });
    await journal.append(numbered('stored', 10));
    const client = await fleet.server.pool.connect();
    await client.query('begin isolation level repeatable read');
    await client.query(`select from ${fleet.schema}.parcel`);
    const { synchronousCommit, tables, vacuumHolder } = await journal.status();
    await client.query('rollback');
    client.release();
    expect(tables.map(({ name }) => name)).toEqual(['outbox', 'parcel', 'slot']);
    expect(tables.every(({ bytes }) => bytes > 0)).toBe(true);
    expect(vacuumHolder).toMatchObject({ kind: 'transaction', ageMs: expect.any(Number) });
    expect(synchronousCommit).toBe('local');
  });

  it('are not durable while synchronous_commit is off', async () => {
    const { connectionString } = fleet.server.postgres;
    const tracker = fleet.tracker({
      pool: { connectionString: `${connectionString}?options=-c%20synchronous_commit%3Doff` },
    });
    tracker.track('fleeting', {}, ADA);
    await expect(tracker.durable()).rejects.toThrow('synchronous_commit is off');
    await fleet.delivered('fleeting', 1);
  });

  it('are not durable after a wait for the standby was cancelled, until a commit reaches it', async () => {
    const tracker = fleet.tracker();
    tracker.track('before', {}, ADA);
    await tracker.durable();
    const { postgres } = fleet.server;
    await postgres.set({ synchronous_standby_names: 'nobody' });
    const cancel = setInterval(() => {
      fleet.server
        .ask(`select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'`)
        .catch(() => undefined);
    }, 20);
    tracker.track('doubtful', {}, ADA);
    await expect(tracker.durable()).rejects.toThrow('the standby may not have');
    clearInterval(cancel);
    await postgres.set({ synchronous_standby_names: '' });
    await vi.waitFor(() => tracker.durable(), PATIENCE);
    await fleet.delivered('doubtful', 1);
  });
});
