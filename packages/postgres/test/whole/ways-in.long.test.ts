import { type PgBouncer, startPgBouncer, whyNoPgBouncer } from '@sluice/test-servers';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { PATIENCE } from '../../../../testing/patience.ts';
import { createOutbox, migrate } from '../../src/index.ts';
import { RIGHTS, ROLES } from '../bench/readme-sql.ts';
import { describeOnPostgres } from '../bench/server.ts';
import { ADA, numbered, trackNumbered, useService } from '../bench/service.ts';

const outbox = createOutbox({ correlationKey: 'email' });

describeOnPostgres('the outbox and a forwarder', (database) => {
  const { arrived, track } = useService();
  beforeAll(async () => void (await migrate(database.pool)));

  it('deliver what was committed, and nothing that was rolled back', async () => {
    const pool = database.pool;
    track({ pool: { connectionString: database.server.connectionString }, outbox: true });
    for (const end of ['rollback', 'commit']) {
      const client = await pool.connect();
      await client.query('begin');
      await outbox.trackAll(client, numbered('committed', 500));
      await client.query(end);
      client.release();
    }
    await arrived('committed', 500);
    await vi.waitFor(async () => {
      expect((await pool.query('select from sluice.outbox')).rowCount).toBe(0);
    }, PATIENCE);
  });
});

describeOnPostgres('the rights of the README', (database) => {
  const { arrived, track } = useService();
  const pool = (role: string): pg.PoolConfig => ({
    connectionString: database.server.connectionStringOf(`sluice_${role}`),
  });

  it('are enough for the outbox, for trackers that only hand over, and for forwarders', async () => {
    await database.pool.query(ROLES);
    const maintenance = new pg.Pool(pool('maintenance'));
    await migrate(maintenance);
    await maintenance.query(RIGHTS);
    await maintenance.end();
    const inserting = new pg.Client(pool('insert'));
    await inserting.connect();
    await outbox.trackAll(inserting, numbered('outbox', 50));
    await inserting.end();

    const publisher = track({ pool: pool('publish'), send: false });
    const forwarder = track({ pool: pool('forward'), outbox: true });
    const failures = vi.fn();
    for (const tracker of [publisher, forwarder])
      tracker.on('storageFailed', ({ error }) => failures(error.message));
    trackNumbered(publisher, 'handed over', 50);
    trackNumbered(forwarder, 'own', 50);
    await Promise.all([publisher.durable(), forwarder.durable()]);
    for (const name of ['outbox', 'handed over', 'own']) await arrived(name, 50);
    await publisher.close();
    await forwarder.close();
    expect(failures).not.toHaveBeenCalled();
  });
});

describeOnPostgres(
  'a server that takes TLS only',
  (database) => {
    const { arrived, track } = useService();
    beforeAll(async () => void (await migrate(database.pool)));

    it('is reached with its certificate, which is checked', async () => {
      const { ca, connectionString } = database.server;
      const tracker = track({ pool: { connectionString, ssl: { ca } }, outbox: true });
      tracker.track('encrypted', { index: 0 }, ADA);
      await tracker.durable();
      await arrived('encrypted', 1);
      const { rows } = await database.pool.query(
        'select bool_and(ssl) from pg_stat_ssl join pg_stat_activity using (pid) where client_addr is not null',
      );
      expect(rows).toEqual([{ bool_and: true }]);
    });

    it.each([
      ['self-signed certificate', true],
      ['no encryption', false],
    ])('is not used with: %s', async (reason, ssl) => {
      const { connectionString } = database.server;
      const tracker = track({ pool: { connectionString, ssl }, send: false });
      tracker.track('plain', {}, ADA);
      await expect(tracker.durable()).rejects.toThrow(reason);
    });
  },
  { tls: true },
);

describe.skipIf(whyNoPgBouncer() !== undefined)(
  `PgBouncer ${whyNoPgBouncer() ?? 'in transaction mode'}`,
  () =>
    describeOnPostgres('with 4 connections to the server', (database) => {
      const { arrived, track } = useService();
      let bouncer: PgBouncer;
      beforeAll(async () => {
        bouncer = await startPgBouncer(database.server, 4);
      });
      afterAll(() => bouncer?.close());

      it('serves migrate(), the outbox, publishers and forwarders', async () => {
        const pool: pg.PoolConfig = { connectionString: bouncer.connectionString };
        const own = new pg.Pool(pool);
        await Promise.all(Array.from({ length: 5 }, () => migrate(own)));
        track({ pool, outbox: true, notify: false });
        track({ pool, notify: false });
        const publisher = track({ pool, send: false, notify: false });
        const client = await own.connect();
        await client.query('begin');
        for (const { name, payload, ...options } of numbered('outbox', 20))
          await outbox.track(client, name, payload, options);
        for (const { name, payload, ...options } of numbered('handed over', 500))
          publisher.track(name, payload, options);
        await publisher.durable();
        await client.query('commit');
        client.release();
        await arrived('outbox', 20);
        await arrived('handed over', 500);
        await own.end();
      });
    }),
);
