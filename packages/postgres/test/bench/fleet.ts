import { createTracker, type Range, type Tracker, type TrackerOptions } from '@sluice/core';
import { type Emulator, startEmulator } from '@sluice/emulator';
import { freePort, type PostgresOptions } from '@sluice/test-servers';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, vi } from 'vitest';
import { PATIENCE } from '../../../../testing/patience.ts';
import type { PostgresJournalOptions, Timing } from '../../src/journal/options.ts';
import type { PostgresJournal } from '../../src/journal/postgres-journal.ts';
import { makeJournal, makeSchema } from './journals.ts';
import { type Database, describeOnPostgres } from './server.ts';
import { group, Witness } from './witness.ts';

export { ADA } from './service.ts';
export { group };

/** As `describe`, with a server, the service, and trackers between them. Each test has tables of its own. */
export function describeFleet(title: string, tests: (fleet: Fleet) => void, options?: PostgresOptions): void {
  describeOnPostgres(
    title,
    (database) => {
      const fleet = new Fleet(database);
      beforeAll(() => fleet.start());
      afterAll(() => fleet.close());
      beforeEach(() => fleet.begin());
      afterEach(() => fleet.end());
      tests(fleet);
    },
    options,
  );
}

/** A server, the service, and what a test opens on them. */
export class Fleet {
  readonly database: Database;
  /** Of the current test. */
  schema = '';
  #emulator: Emulator | undefined;
  #open: { close(): Promise<unknown> }[] = [];

  constructor(database: Database) {
    this.database = database;
  }

  get emulator(): Emulator {
    if (!this.#emulator) throw new Error('used before a test');
    return this.#emulator;
  }

  async start(): Promise<void> {
    // Ports that nobody gets by chance while the service is suspended.
    const [port, apiPort] = [await freePort(), await freePort()];
    this.#emulator = await startEmulator({ primaryKey: 'email', port, apiPort });
    // A server that is stopped cuts connections that nobody uses.
    this.database.pool.on('error', () => {});
  }

  async begin(): Promise<void> {
    this.schema = await makeSchema(this.database.pool);
    await this.emulator.clear();
  }

  /** Closes what the test opened. */
  async end(): Promise<void> {
    await Promise.all(this.#open.map((each) => each.close().catch(() => undefined)));
    this.#open = [];
  }

  async close(): Promise<void> {
    await this.#emulator?.close();
  }

  /** The first column of the first row, as text. */
  async ask(sql: string): Promise<string> {
    const { rows } = await this.database.pool.query<unknown[]>({ text: sql, rowMode: 'array' });
    return String(rows[0]?.[0]);
  }

  /** A tracker on a journal of its own. */
  tracker(
    journal: Partial<PostgresJournalOptions> = {},
    options: Partial<TrackerOptions> = {},
    timing: Partial<Timing> = {},
  ): Tracker {
    const { apiKey, baseUrl } = this.emulator;
    const tracker = createTracker({
      ...{ apiKey, baseUrl, correlationKey: 'email', logger: false, commitIntervalMs: 5 },
      batch: { maxWaitMs: 5 },
      journal: makeJournal(this.database, this.schema, journal, timing),
      ...options,
    } as TrackerOptions);
    this.#open.push({ close: () => tracker.close({ timeoutMs: 1_000 }) });
    return tracker;
  }

  /** A journal without a tracker, open. `crash()` ends it as a crash of its process does. */
  async journal(
    options: Partial<PostgresJournalOptions> = {},
    timing: Partial<Timing> = {},
  ): Promise<{ journal: PostgresJournal; witness: Witness; crash(): Promise<void> }> {
    const { connectionString } = this.database.server;
    const pool = new pg.Pool({ connectionString });
    const journal = makeJournal(this.database, this.schema, { pool, ...options }, timing);
    const witness = new Witness();
    await journal.open(witness);
    let isCrashed = false;
    const crash = async () => {
      if (!isCrashed) await pool.end();
      isCrashed = true;
    };
    this.#open.push({ close: () => journal.close().finally(crash) });
    return { journal, witness, crash };
  }

  /** Until when the slots of journals are leased, as PostgreSQL's clock shows it. */
  leasedUntil(): Promise<string> {
    return this.ask(`select max(until)::text from ${this.schema}.slot where outbox is null`);
  }

  /** Whether that moment has passed. */
  async isPast(moment: string): Promise<boolean> {
    return (await this.ask(`select now() > '${moment}'`)) === 'true';
  }

  /** What a table of the test holds. */
  async count(table: 'slot' | 'parcel' | 'outbox', where = 'true'): Promise<number> {
    return Number(await this.ask(`select count(*) from ${this.schema}.${table} where ${where}`));
  }

  /** Puts events into the outbox, each in the slot with this number, as `createOutbox` does. */
  async fillOutbox(
    name: string,
    count: number,
    slot = 0,
    pool: pg.Pool | pg.PoolClient = this.database.pool,
  ): Promise<void> {
    await pool.query(
      `insert into ${this.schema}.outbox (slot, body) select $1, json_build_object('event', $2::text,
        'correlationKey', 'email', 'correlationValue', 'ada@example.com', 'source', 'custom', 'uuid', gen_random_uuid(),
        'payload', json_build_object('number', number))::text from generate_series(0, $3::int - 1) as number`,
      [slot, name, count],
    );
  }

  /** Resolves once the service has so many events of a name. Resolves to how many it got, repeats included. */
  async delivered(name: string, count: number): Promise<number> {
    const events = { unique: 0, received: 0 };
    await vi.waitFor(async () => {
      Object.assign(events, await this.emulator.countEvents({ name }));
      if (events.unique !== count) throw new Error(`${events.unique} of ${count} events arrived`);
    }, PATIENCE);
    return events.received;
  }

  /** The numbers in the payloads of the events of a name, in the order in which the service got them first. */
  async numbers(name: string): Promise<unknown[]> {
    const events = await this.emulator.events({ name });
    return events.map(({ event }) => event.payload?.number);
  }
}

/** The numbers from 0 on. */
export function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, number) => number);
}

/** Events with the numbers from 0 on, as a group for `append`. */
export function numbered(name: string, count: number): ReturnType<typeof group> {
  return group(
    upTo(count).map((number) =>
      JSON.stringify({
        event: name,
        ...{ correlationKey: 'email', correlationValue: 'ada@example.com', source: 'custom' },
        uuid: crypto.randomUUID(),
        payload: { number },
      }),
    ),
  );
}

export function part(range: Range, from: number, to: number): Range {
  return { ...range, from: range.from + from, to: range.from + to };
}
