import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startPgBouncer, whyNoPgBouncer } from '@sluice/test-servers';
import pg from 'pg';
import { expect, it, vi } from 'vitest';
import { PATIENCE } from '../../../../testing/patience.ts';
import { ADA, describeFleet, upTo } from '../bench/fleet.ts';
import { Network } from '../bench/network.ts';

/** So seldom that only a call can be the reason for a look. */
const NEVER = { leastPollMs: 600_000, mostPollMs: 600_000 };

describeFleet('A forwarder', (fleet) => {
  const listeners = () =>
    fleet.ask(`select count(*) from pg_stat_activity where query like 'listen%' and datname is not null`);

  it('is called when a publisher has stored events', async () => {
    fleet.tracker({}, {}, NEVER);
    await vi.waitFor(async () => expect(await listeners()).toBe('1'), PATIENCE);
    const publisher = fleet.tracker({ send: false });
    for (const name of ['first', 'second']) {
      publisher.track(name, {}, ADA);
      await publisher.flush();
      await fleet.delivered(name, 1);
    }
  });

  it('listens with the password of a pool', async () => {
    const { directory, host, port } = fleet.database.server;
    const hba = join(directory, 'pg_hba.conf');
    writeFileSync(hba, `host all keeper 127.0.0.1/32 scram-sha-256\n${readFileSync(hba, 'utf8')}`);
    await fleet.ask('select pg_reload_conf()');
    await fleet.ask(`create role keeper superuser login password 'a secret'`);
    const pool = new pg.Pool({ host, port, user: 'keeper', password: 'a secret', database: 'postgres' });
    fleet.tracker({ pool }, {}, NEVER);
    await vi.waitFor(async () => expect(await listeners()).toBe('1'), PATIENCE);
    await fleet.end();
    await pool.end();
  });

  it('listens again after its connection was cut', async () => {
    const forwarder = fleet.tracker({}, {}, NEVER);
    await vi.waitFor(async () => expect(await listeners()).toBe('1'), PATIENCE);
    await fleet.ask(`select pg_terminate_backend(pid) from pg_stat_activity where query like 'listen%'`);
    await vi.waitFor(async () => expect(await listeners()).toBe('1'), PATIENCE);
    fleet.tracker({ send: false }).track('again', {}, ADA);
    await fleet.delivered('again', 1);
    expect(forwarder.stats().recovered).toBe(1);
  });

  it('listens although its first connection got no answer', async () => {
    const network = await Network.start(fleet.database.server.port);
    network.ignore();
    const pool = { connectionString: network.connectionString };
    fleet.tracker({ pool, timeoutMs: 1_000 }, {}, NEVER);
    await expect.poll(() => network.connections).toBeGreaterThan(1);
    network.open();
    await vi.waitFor(async () => expect(await listeners()).toBe('1'), PATIENCE);
    await fleet.end();
    await network.close();
  });

  it('looks by itself if nothing calls it', async () => {
    const publisher = fleet.tracker({ send: false, notify: false });
    fleet.tracker({ notify: false });
    publisher.track('looked', {}, ADA);
    await fleet.delivered('looked', 1);
    // Connections of earlier tests end a little later.
    await vi.waitFor(async () => expect(await listeners()).toBe('0'), PATIENCE);
  });

  it('sends what trackers left that ran one after the other in that order', async () => {
    for (const number of upTo(8)) {
      const publisher = fleet.tracker({ send: false, notify: false });
      publisher.track('in turn', { number }, ADA);
      await publisher.close();
    }
    fleet.tracker({ notify: false }, { ordering: 'strict' });
    await fleet.delivered('in turn', 8);
    expect(await fleet.numbers('in turn')).toEqual(upTo(8));
  });

  it.skipIf(whyNoPgBouncer() !== undefined)(
    'works through a PgBouncer that pools by transaction',
    async () => {
      const bouncer = await startPgBouncer(fleet.database.server, 4);
      const through = { pool: { connectionString: bouncer.connectionString }, notify: false };
      const publisher = fleet.tracker({ ...through, send: false });
      const forwarders = [0, 1, 2].map(() => fleet.tracker({ ...through, outbox: true }));
      await fleet.fillOutbox('outbox', 1_000, 3);
      for (let number = 0; number < 1_000; number += 1) {
        publisher.track('published', { number }, ADA);
        forwarders[number % 3]?.track('own', { number }, ADA);
      }
      for (const name of ['outbox', 'published', 'own'])
        expect(await fleet.delivered(name, 1_000)).toBe(1_000);
      await fleet.end();
      await bouncer.close();
      expect(await fleet.count('parcel')).toBe(0);
    },
  );
});
