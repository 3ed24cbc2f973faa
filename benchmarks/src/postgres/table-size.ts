import { setTimeout as pause } from 'node:timers/promises';
import { migrate } from '@sluice/postgres';
import { startPostgres, whyNoPostgres } from '@sluice/test-servers';
import pg from 'pg';
import { checkArrival } from '../measurements/arrival.ts';
import type { Measurement, MeasurementContext } from '../measurements/measurement.ts';
import { Receiving } from '../processes/receiving.ts';
import { inTurns } from '../processes/turns.ts';
import { makeRow, type Row } from '../row.ts';
import { openPostgresStore } from '../stores/postgres-store.ts';
import { Forwarders } from './forwarders.ts';

const MIB = 1024 * 1024;
const EVENTS = { full: 10_000_000, quick: 60_000 };
/** Events that wait in the database at most: 7 MB. */
const WAITING = 40_000;
const STEP = 10_000;
const POLL_MS = 2;
const FORWARDERS = 2;
const MOST_MIB = 64;

/** Whether the tables stay small while many more events pass than wait. */
export const tableSize: Measurement = {
  name: 'postgres-size',
  method:
    `${EVENTS.full.toLocaleString('en')} events through one publisher and ${FORWARDERS} forwarders, of which at most ${WAITING.toLocaleString('en')} wait at a time. ` +
    `The largest table with its indexes and its TOAST table, and the write-ahead log, after every ${STEP.toLocaleString('en')}.`,
  run,
};

async function run({ isQuick, execArgv, tell }: MeasurementContext): Promise<readonly Row[]> {
  const missing = whyNoPostgres();
  if (missing !== undefined) {
    tell(`skipped: ${missing}`);
    return [];
  }
  const events = isQuick ? EVENTS.quick : EVENTS.full;
  await using receiver = await Receiving.start();
  const server = await startPostgres();
  const { connectionString } = server;
  const pool = new pg.Pool({ connectionString, max: 1 });
  try {
    await migrate(pool);
    const sizes: number[] = [];
    const sample = async () => {
      const { rows } = await pool.query(
        `select max(pg_total_relation_size(oid))::float8 as bytes from pg_class where relnamespace = 'sluice'::regnamespace and relkind = 'r'`,
      );
      sizes.push(rows[0].bytes / MIB);
    };
    const walBefore = await walBytes(pool);
    const store = await openPostgresStore(connectionString);
    await using forwarders = new Forwarders(
      FORWARDERS,
      { baseUrl: receiver.baseUrl, connectionString },
      execArgv,
    );
    await forwarders.ready();
    for (let published = 0; published < events; published += STEP) {
      await inTurns(STEP, (turn) => {
        for (const event of turn) store.add(event);
      });
      await store.settle();
      while (published + STEP - forwarders.count > WAITING) await pause(POLL_MS);
      await sample();
      if (published % (events / 10) < STEP)
        tell(`postgres-size: ${published} events, ${Math.max(...sizes).toFixed(1)} MiB`);
    }
    await forwarders.delivered(events);
    await checkArrival(receiver, events, 'postgres-size');
    await store.close();
    const size = { events, warmUp: 0 };
    const wal = ((await walBytes(pool)) - walBefore) / events;
    return [
      makeRow({
        ...{ name: 'postgres, largest table', unit: 'MiB', values: [Math.max(...sizes)], size },
        demand: { of: 'value', bound: 'at most', limit: MOST_MIB },
      }),
      makeRow({ name: 'postgres, write-ahead log of an event', unit: 'bytes', values: [wal], size }),
    ];
  } finally {
    await pool.end();
    await server.close();
  }
}

async function walBytes(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query(`select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as bytes`);
  return rows[0].bytes;
}
