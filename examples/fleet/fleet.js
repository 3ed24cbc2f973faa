// @ts-check
// A primary and a synchronous standby, two relays, two forwarders and the emulator, all on loopback.
import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmulator } from '@sluice/emulator';
import { migrate } from '@sluice/postgres';
import { startPostgres } from '@sluice/test-servers';
import pg from 'pg';
import { openAddress } from './address.js';
import { startVisitors } from './visitors.js';

/** What can be killed. */
export const TARGETS = /** @type {const} */ (['primary', 'standby', 'relay', 'forwarder']);

/** @param {(line: string) => void} tell */
export async function startFleet(tell) {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-fleet-'));
  const emulator = await startEmulator({ primaryKey: 'email' });
  let primary = await startPostgres();
  let standby = await primary.startStandby('synchronous');
  const address = await openAddress(primary.port);
  const pool = new pg.Pool({ connectionString: address.url, max: 1 });
  pool.on('error', () => {});
  await migrate(pool);
  const env = {
    ...process.env,
    SLUICE_URL: emulator.baseUrl,
    SLUICE_API_KEY: emulator.apiKey,
    DATABASE_URL: address.url,
    RELAY_SECRET: randomBytes(32).toString('hex'),
  };

  /** @param {'relay' | 'forwarder'} kind @param {number} number */
  async function start(kind, number) {
    const child = fork(new URL(`${kind}.js`, import.meta.url), {
      env: { ...env, DIRECTORY: join(directory, `${kind}-${number}`) },
    });
    const [{ url }] = await once(child, 'message');
    tell(`${kind} ${number} runs${url ? ` at ${url}` : ''}`);
    return { child, url, number };
  }

  const relays = [await start('relay', 1), await start('relay', 2)];
  const forwarders = [await start('forwarder', 1), await start('forwarder', 2)];
  const visitors = startVisitors(() => relays.flatMap(({ url }) => url ?? []));

  /** @param {'relay' | 'forwarder'} kind */
  async function killProcess(kind) {
    const processes = kind === 'relay' ? relays : forwarders;
    const gone = processes.shift();
    if (!gone) return;
    const ended = once(gone.child, 'exit');
    gone.child.kill('SIGKILL');
    await ended;
    tell(`${kind} ${gone.number} is killed`);
    processes.push(await start(kind, gone.number));
  }

  async function killPrimary() {
    await primary.stop('kill');
    tell('the primary is killed');
    await standby.promote();
    const gone = primary;
    primary = standby;
    address.pointTo(primary.port);
    tell('the standby is the primary now');
    standby = await primary.startStandby('synchronous');
    tell('a new standby follows it');
    await gone.close();
  }

  async function killStandby() {
    await standby.stop('kill');
    tell('the standby is killed: commits wait, and relays answer nothing');
    await standby.start();
    tell('the standby is back');
  }

  return {
    emulator,
    /** @param {typeof TARGETS[number]} target */
    async kill(target) {
      if (target === 'primary') await killPrimary();
      else if (target === 'standby') await killStandby();
      else await killProcess(target);
    },
    /** What became of the events. */
    async books() {
      const arrived = new Set((await emulator.events({ limit: 1_000_000 })).map(({ uuid }) => uuid));
      const { received } = await emulator.countEvents();
      const inDatabase = await pool
        .query('select coalesce(sum(events), 0)::int as events from sluice.parcel')
        .then(({ rows }) => Number(rows[0].events))
        .catch(() => undefined);
      const missing = [...visitors.taken].filter((uuid) => !arrived.has(uuid)).length;
      return {
        taken: visitors.taken.size,
        inDatabase,
        arrived: arrived.size,
        missing,
        twice: received - arrived.size,
      };
    },
    /** Ends the visits. */
    stopVisitors: () => visitors.close(),
    async close() {
      const processes = [...relays, ...forwarders];
      await Promise.all(
        processes.map(async ({ child }) => {
          const ended = once(child, 'exit');
          child.kill('SIGTERM');
          await ended;
        }),
      );
      await pool.end();
      address.close();
      for (const server of [primary, standby, emulator]) await server.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
