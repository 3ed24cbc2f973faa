import { migrate } from '@sluice/postgres';
import { type Postgres, startPostgres, whyNoPostgres } from '@sluice/test-servers';
import pg from 'pg';
import { checkArrival } from '../measurements/arrival.ts';
import type { Measurement, MeasurementContext } from '../measurements/measurement.ts';
import { inRounds } from '../measurements/rounds.ts';
import type { DurableSettings, DurableTold } from '../processes/durable-messages.ts';
import { ForkedProcess } from '../processes/forked-process.ts';
import { Receiving } from '../processes/receiving.ts';
import { makeRow, type Row } from '../row.ts';
import type { StoreName } from '../stores/open-store.ts';
import { Forwarders } from './forwarders.ts';

const STORING = new URL('../processes/durable-process.js', import.meta.url);
const EVENTS = { full: 200_000, quick: 10_000 };
/** Events of a row of the bare loop, and of a COPY. */
const GROUP = 500;
const FORWARDERS = { full: [1, 2, 4], quick: [2] } as const;
/** Each has a slot, which one forwarder at a time can own. */
const PUBLISHERS = 4;

/** What is measured: how fast events come into the database, how fast they leave it, or both at once. */
type Subject =
  | { readonly kind: 'store'; readonly store: StoreName }
  | { readonly kind: 'drain' | 'both'; readonly forwarders: number };

const STORES = { sluice: 'postgres', parcels: 'postgres-parcels', copy: 'postgres-copy' } as const;
const stores = Object.fromEntries(
  Object.entries(STORES).map(([name, store]) => [name, { kind: 'store', store }]),
) as Readonly<Record<keyof typeof STORES, Subject>>;

/** How fast events come into PostgreSQL and leave it again. */
export const postgres: Measurement = {
  name: 'postgres',
  method:
    `${EVENTS.full.toLocaleString('en')} events, a real server on this machine with \`fsync\` and \`synchronous_commit\` on. Publishing: from track() ` +
    'in turns of 500, in a fresh process, until durable(), with `send: false`. Against it, in the same round: a loop on one ' +
    `connection that makes the same texts, and inserts ${GROUP} of them as one \`bytea\` row, or as ${GROUP} rows with COPY. Draining: ` +
    `forwarders start, and deliver what ${PUBLISHERS} publishers left to the receiver, which counts. Both: ${PUBLISHERS} publishers and ` +
    'forwarders at once, from the first track() until all events have been delivered.',
  run,
};

async function run(context: MeasurementContext): Promise<readonly Row[]> {
  const missing = whyNoPostgres();
  if (missing !== undefined) {
    context.tell(`skipped: ${missing}`);
    return [];
  }
  const receiver = await Receiving.start();
  const server = await startPostgres({ fsync: true, settings: { max_wal_size: '4GB' } });
  try {
    const counts = context.isQuick ? FORWARDERS.quick : FORWARDERS.full;
    const subjects: Subject[] = [
      ...Object.values(stores),
      ...counts.map((forwarders) => ({ kind: 'drain' as const, forwarders })),
      ...counts.map((forwarders) => ({ kind: 'both' as const, forwarders })),
    ];
    const resultsOf = await inRounds(context.rounds, subjects, async (subject, round) => {
      const perSecond = await measure(subject, server, receiver, context);
      context.tell(`postgres, round ${round + 1}, ${nameOf(subject)}: ${Math.round(perSecond)} events/s`);
      return perSecond;
    });
    const size = { events: eventsOf(context), warmUp: 0 };
    const row = (subject: Subject, name = nameOf(subject)) => ({
      ...{ name: `postgres, ${name}`, unit: 'events/s', values: resultsOf(subject), size },
    });
    const against = (peer: Subject, name: string, limit: number) =>
      makeRow({
        ...row(stores.sluice, `publishing, against ${name}`),
        against: { name, values: resultsOf(peer) },
        demand: { of: 'ratio', bound: 'at least', limit },
      });
    return [
      ...subjects.map((subject) => makeRow(row(subject))),
      against(stores.parcels, 'a loop of inserts', 0.8),
      against(stores.copy, 'COPY', 3),
    ];
  } finally {
    await server.close();
    await receiver[Symbol.asyncDispose]();
  }
}

/** Returns events per second. Throws if an event is lost, or arrives twice. */
async function measure(
  subject: Subject,
  server: Postgres,
  receiver: Receiving,
  context: MeasurementContext,
): Promise<number> {
  const { connectionString } = server;
  const events = eventsOf(context);
  await empty(connectionString);
  if (subject.kind === 'store') {
    const { seconds, kept } = await store(subject.store, connectionString, events, context);
    if (kept !== events) throw new Error(`postgres, ${subject.store}: of ${events} events, it holds ${kept}`);
    return events / seconds;
  }
  const settings = { baseUrl: receiver.baseUrl, connectionString };
  if (subject.kind === 'drain') await publish(connectionString, context);
  await using forwarders = new Forwarders(subject.forwarders, settings, context.execArgv);
  if (subject.kind === 'both') await forwarders.ready();
  const startedAt = performance.now();
  const storing = subject.kind === 'both' ? publish(connectionString, context) : forwarders.ready();
  await Promise.all([storing, storing.then(() => forwarders.delivered(events))]);
  const seconds = (performance.now() - startedAt) / 1_000;
  await checkArrival(receiver, events, nameOf(subject));
  return events / seconds;
}

async function publish(connectionString: string, context: MeasurementContext): Promise<void> {
  const share = eventsOf(context) / PUBLISHERS;
  const publishers = Array.from({ length: PUBLISHERS }, () =>
    store(STORES.sluice, connectionString, share, context),
  );
  await Promise.all(publishers);
}

/** Stores events in a process. Returns how many seconds that took, and how many events the database has then. */
async function store(
  name: StoreName,
  connectionString: string,
  events: number,
  { execArgv }: MeasurementContext,
): Promise<{ readonly seconds: number; readonly kept: number }> {
  const settings: DurableSettings = { store: name, directory: connectionString, events, groupEvents: GROUP };
  await using process = new ForkedProcess<DurableTold>(STORING, settings, execArgv);
  const { elapsedMs, kept } = await process.expect('measured');
  await process.ended();
  return { seconds: elapsedMs / 1_000, kept };
}

async function empty(connectionString: string): Promise<void> {
  const pool = new pg.Pool({ connectionString, max: 1 });
  await pool.query('drop schema if exists sluice cascade');
  await migrate(pool);
  await pool.query('checkpoint');
  await pool.end();
}

function nameOf(subject: Subject): string {
  if (subject.kind === 'store') return subject.store;
  const { kind, forwarders } = subject;
  const who = forwarders === 1 ? '1 forwarder' : `${forwarders} forwarders`;
  return `${kind === 'drain' ? 'draining' : 'publishing and draining'}, ${who}`;
}

function eventsOf({ isQuick }: MeasurementContext): number {
  return isQuick ? EVENTS.quick : EVENTS.full;
}
