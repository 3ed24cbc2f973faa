import { createTracker, type Range, type Tracker, type TrackerOptions } from '@sluice/core';
import { type Emulator, startEmulator } from '@sluice/emulator';
import pg from 'pg';
import { vi } from 'vitest';
import { PATIENCE } from '../../../../testing/patience.ts';
import type { PostgresJournalOptions, Timing } from '../../src/journal/options.ts';
import type { PostgresJournal } from '../../src/journal/postgres-journal.ts';
import { TestServer } from './test-server.ts';
import { group, Witness } from './witness.ts';

export { group };
export const ADA = { correlationValue: 'ada@example.com' };

/** A server, the service, and what a test opens on them. */
export class Fleet {
  readonly server: TestServer;
  readonly emulator: Emulator;
  /** Of the current test. */
  schema = '';
  #open: { close(): Promise<unknown> }[] = [];

  private constructor(server: TestServer, emulator: Emulator) {
    this.server = server;
    this.emulator = emulator;
  }

  static async start(...options: Parameters<typeof TestServer.start>): Promise<Fleet> {
    const [server, emulator] = await Promise.all([
      TestServer.start(...options),
      startEmulator({ primaryKey: 'email' }),
    ]);
    return new Fleet(server, emulator);
  }

  /** New tables, and an empty service. */
  async begin(): Promise<void> {
    this.schema = await this.server.schema();
    await this.emulator.clear();
  }

  /** Closes what the test opened. */
  async end(): Promise<void> {
    await Promise.all(this.#open.map((each) => each.close().catch(() => undefined)));
    this.#open = [];
  }

  async close(): Promise<void> {
    await Promise.all([this.server.close(), this.emulator.close()]);
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
      journal: this.server.journal(this.schema, journal, timing),
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
    const { connectionString } = this.server.postgres;
    const pool = new pg.Pool({ connectionString });
    const journal = this.server.journal(this.schema, { pool, ...options }, timing);
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

  /** What a table of the test holds. */
  async count(table: 'slot' | 'parcel' | 'outbox', where = 'true'): Promise<number> {
    return Number(await this.server.ask(`select count(*) from ${this.schema}.${table} where ${where}`));
  }

  /** Puts events into the outbox, each in the slot with this number, as `createOutbox` does. */
  async fillOutbox(
    name: string,
    count: number,
    slot = 0,
    pool: pg.Pool | pg.PoolClient = this.server.pool,
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
