import type { Journal } from '@sluice/core';
import pg from 'pg';
import { expect, it, vi } from 'vitest';
import { PATIENCE } from '../../../../testing/patience.ts';
import { ADA, describeFleet, numbered } from '../bench/fleet.ts';

describeFleet(
  'The tables of a journal',
  (fleet) => {
    /** Appends and releases so many parcels that a vacuum is due. */
    async function wear(journal: Journal): Promise<void> {
      const appends = Array.from({ length: 300 }, () => journal.append(numbered('worn', 1)));
      await Promise.all((await Promise.all(appends)).map((range) => journal.acknowledge(range)));
    }

    it('are vacuumed by a journal after some hundred parcels', async () => {
      const { journal } = await fleet.journal();
      await wear(journal);
      await vi.waitFor(async () => {
        const where = `schemaname = '${fleet.schema}' and vacuum_count > 0`;
        expect(await fleet.ask(`select count(*) from pg_stat_all_tables where ${where}`)).toBe('3');
      }, PATIENCE);
    });

    it('are not vacuumed any more once the journal is closed', async () => {
      const { connectionString } = fleet.database.server;
      const slowly = '-c vacuum_cost_delay=100 -c vacuum_cost_limit=1';
      const { journal } = await fleet.journal({ pool: { connectionString, options: slowly } });
      await fleet.ask(`insert into ${fleet.schema}.outbox (slot, body)
        select 1, repeat('x', 400) from generate_series(1, 20000)`);
      await wear(journal);
      const vacuums = () =>
        fleet.ask(`select count(*) from pg_stat_activity where query like 'vacuum%' and state = 'active'`);
      await expect.poll(vacuums).toBe('1');
      const closed = journal.close();
      await expect.poll(vacuums).toBe('0');
      await closed;
    });

    it('are not vacuumed on the only connection', async () => {
      const { connectionString } = fleet.database.server;
      const { journal } = await fleet.journal({ pool: { connectionString, max: 1 } });
      await wear(journal);
      await journal.close();
      const where = `schemaname = '${fleet.schema}' and vacuum_count > 0`;
      expect(await fleet.ask(`select count(*) from pg_stat_all_tables where ${where}`)).toBe('0');
    });

    it('have a status: their sizes, what holds vacuum back, and how safe a commit is', async () => {
      const { journal } = await fleet.journal({
        pool: {
          connectionString: `${fleet.database.server.connectionString}?options=-c%20synchronous_commit%3Dlocal`,
        },
      });
      await journal.append(numbered('stored', 10));
      const client = await fleet.database.pool.connect();
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

    it('are not held by what vacuum does not wait for: a transaction of another database, or another vacuum', async () => {
      const { server, pool } = fleet.database;
      const { journal } = await fleet.journal();
      await fleet.fillOutbox('many', 20_000);
      await pool.query('create database other');
      const { href } = new URL('/other', server.connectionString);
      const other = new pg.Client({ connectionString: href });
      const vacuum = new pg.Client({ connectionString: server.connectionString });
      await Promise.all([other.connect(), vacuum.connect()]);
      await other.query('begin isolation level repeatable read');
      await other.query('select 1');
      await vacuum.query('set vacuum_cost_delay = 100; set vacuum_cost_limit = 1');
      const vacuuming = vacuum.query(`vacuum ${fleet.schema}.outbox`).catch(() => undefined);
      await expect.poll(() => fleet.ask('select count(*) from pg_stat_progress_vacuum')).toBe('1');
      expect((await journal.status()).vacuumHolder).toBeUndefined();
      await fleet.ask('select pg_cancel_backend(pid) from pg_stat_progress_vacuum');
      await vacuuming;
      await Promise.all([other.end(), vacuum.end()]);
    });

    it('are not durable while synchronous_commit is off', async () => {
      const { connectionString } = fleet.database.server;
      const tracker = fleet.tracker({
        pool: { connectionString: `${connectionString}?options=-c%20synchronous_commit%3Doff` },
      });
      tracker.track('fleeting', {}, ADA);
      await expect(tracker.durable()).rejects.toThrow('synchronous_commit is off');
      await fleet.delivered('fleeting', 1);
    });

    const silent = () => ({
      connectionString: `${fleet.database.server.connectionString}?options=-c%20client_min_messages%3Derror`,
    });

    it('are not durable while PostgreSQL is not to say what the standby may not have', async () => {
      const tracker = fleet.tracker({ pool: silent() });
      tracker.track('unheard', {}, ADA);
      await expect(tracker.durable()).rejects.toThrow('client_min_messages is error');
      await fleet.delivered('unheard', 1);
    });

    it('do not count after a wait for the standby that was cancelled, though PostgreSQL is not to say so', async () => {
      const { server } = fleet.database;
      const { journal } = await fleet.journal({ pool: silent(), timeoutMs: 500 });
      await journal.append(numbered('first', 1));
      await server.set({ synchronous_standby_names: 'nobody' });
      // PostgreSQL takes the setting a little later.
      await vi.waitFor(
        () => expect(journal.append(numbered('unheard', 1))).rejects.toThrow('is unknown'),
        PATIENCE,
      );
      await server.set({ synchronous_standby_names: '' });
    });

    it('do not count while waits for the standby are cancelled, although the rows are there', async () => {
      const publisher = fleet.tracker({ send: false });
      await publisher.durable();
      const { server } = fleet.database;
      await server.set({ synchronous_standby_names: 'nobody' });
      let cancelled = 0;
      const cancel = setInterval(() => {
        fleet
          .ask(`select count(pg_cancel_backend(pid)) from pg_stat_activity where wait_event = 'SyncRep'`)
          .then((count) => {
            cancelled += Number(count);
          })
          .catch(() => undefined);
      }, 20);
      // PostgreSQL takes the setting a little later. From then on, a commit waits.
      await vi.waitFor(async () => {
        await fleet.ask(`comment on schema ${fleet.schema} is 'a change'`);
        expect(cancelled).toBeGreaterThan(0);
      }, PATIENCE);
      const before = cancelled;
      publisher.track('doubtful', {}, ADA);
      let isDurable = false;
      const durable = publisher.durable().then(() => {
        isDurable = true;
      });
      await vi.waitFor(() => expect(cancelled).toBeGreaterThan(before + 2), PATIENCE);
      expect(isDurable).toBe(false);
      expect(publisher.stats()).toMatchObject({ delivered: 0, pending: 1 });
      clearInterval(cancel);
      await server.set({ synchronous_standby_names: '' });
      await durable;
      fleet.tracker();
      await fleet.delivered('doubtful', 1);
    });
  },
  { settings: { autovacuum: 'off' } },
);
