import { setImmediate } from 'node:timers/promises';
import { ArrivalRates } from '../events/rates.ts';
import type {
  EventCounts,
  EventDimension,
  EventFilter,
  EventQuery,
  ReceivedEvent,
  ValueCount,
} from '../events/tracked-events.ts';
import { type Database, escapeText, sqliteCode, unescapeText } from './database.ts';
import { conditionOf, type EventRow, STORED, type StoredRow, toEventRow } from './event-rows.ts';
import { Staging } from './staging.ts';

/** What happened to a batch. */
export interface BatchOutcome {
  /** Number of events in the batch: all of them were accepted. */
  readonly accepted: number;
  /** How many of them had a uuid that was already stored. */
  readonly repeated: number;
  /** Id of the first new event; the other new events have the ids that follow. Null if there is none. */
  readonly firstEvent: number | null;
}

/** Ids of the oldest and the newest event. */
export interface Extent {
  readonly oldest: number;
  readonly newest: number;
}

/** How many events there are, and the ids of the oldest and the newest. */
export interface EventTotals extends EventCounts, Extent {}

const COLUMNS = 'uuid, name, correlation_key, correlation_value, source, body';
// Events staged in one turn, which takes a few milliseconds.
const STAGED_AT_ONCE = 1_000;

/** The event tracker: stores the received events, in order of arrival. */
export class EventStore {
  /** The number of new events in each of the last seconds. */
  readonly rates: ArrivalRates = new ArrivalRates();
  readonly #database: Database;
  readonly #changed: () => void;

  /** `changed` is called during each change. It must do its own work later. */
  constructor(database: Database, changed: () => void = () => {}) {
    this.#database = database;
    this.#changed = changed;
  }

  /** How many events there are, and the ids of the oldest and the newest. Ids have no gap. The cost does not grow with the events. */
  get totals(): EventTotals {
    const row = this.#database.get<Omit<EventTotals, 'unique'>>(
      `SELECT newest_event AS newest, received, coalesce((SELECT min(id) FROM events), newest_event + 1) AS oldest
       FROM totals`,
    );
    const { oldest, newest, received } = row ?? { oldest: 1, newest: 0, received: 0 };
    return { oldest, newest, unique: newest - oldest + 1, received };
  }

  /**
   * Stores a batch. Of events with the same uuid, it keeps the first and counts the others. Call it in a transaction.
   */
  add(batch: readonly ReceivedEvent[], requestId: number | null, now: number = Date.now()): BatchOutcome {
    const uuids = JSON.stringify(batch.map(({ event }) => event.uuid?.toLowerCase()));
    const known = new Map(
      this.#database.arrays<[uuid: string, id: number]>(
        'SELECT uuid, id FROM events WHERE uuid IN (SELECT value FROM json_each(?))',
        uuids,
      ),
    );
    const { newest: before } = this.totals;
    let newest = before;
    const fresh: (string | number | null)[] = [];
    const repeated: number[] = [];
    for (const received of batch) {
      const columns = columnsOf(received);
      const [uuid] = columns;
      const id = uuid === null ? undefined : known.get(uuid);
      if (id !== undefined) {
        repeated.push(id);
        continue;
      }
      newest += 1;
      fresh.push(newest, now, requestId, ...columns);
      this.rates.add(received.event.event);
      if (uuid !== null) known.set(uuid, newest);
    }
    this.#database.insert('events', `id, received_at, request_id, ${COLUMNS}`, fresh);
    return this.#finish(batch.length, before, repeated, requestId, now);
  }

  /**
   * Begins to store a very large batch: other requests are served meanwhile. Pass what it resolves to to {@link addStaged}, and
   * dispose it.
   */
  async stage(batch: readonly ReceivedEvent[]): Promise<Staging> {
    const staging = new Staging(this.#database, COLUMNS);
    for (let from = 0; from < batch.length; from += STAGED_AT_ONCE) {
      await setImmediate();
      staging.add(batch.slice(from, from + STAGED_AT_ONCE).flatMap(columnsOf));
    }
    return staging;
  }

  /** Like {@link add}, for a batch that was staged. */
  addStaged({ table }: Staging, batch: readonly ReceivedEvent[], requestId: number | null): BatchOutcome {
    const [before, now] = [this.totals.newest, Date.now()];
    const insert = (id: string, where: string) =>
      this.#database.run(
        `INSERT INTO events (id, ${COLUMNS}, received_at, request_id)
         SELECT ? + ${id}, ${COLUMNS}, ?, ? FROM ${table} AS staged ${where}`,
        ...[before, now, requestId],
      );
    let repeated: number[] = [];
    try {
      insert('at', '');
    } catch (error) {
      if (!sqliteCode(error).startsWith('SQLITE_CONSTRAINT')) throw error;
      // Most batches repeat no uuid. This one does, and takes longer.
      this.#database.exec(`CREATE INDEX temp.uuids_of_${table} ON ${table} (uuid, at)`);
      const isNew = `WHERE NOT EXISTS (SELECT 1 FROM events WHERE events.uuid = staged.uuid) AND NOT EXISTS
        (SELECT 1 FROM ${table} AS earlier WHERE earlier.uuid = staged.uuid AND earlier.at < staged.at)`;
      insert('row_number() OVER (ORDER BY at)', isNew);
      const rows = this.#database.all<{ id: number; times: number }>(
        `SELECT events.id, count(*) - (events.id > ?) AS times FROM ${table} AS staged
         JOIN events USING (uuid) GROUP BY events.id HAVING times > 0`,
        before,
      );
      repeated = rows.flatMap(({ id, times }) => Array<number>(times).fill(id));
    }
    for (const { event } of batch) this.rates.add(event.event);
    return this.#finish(batch.length, before, repeated, requestId, now);
  }

  #finish(
    accepted: number,
    before: number,
    repeated: readonly number[],
    requestId: number | null,
    now: number,
  ): BatchOutcome {
    for (const id of repeated) {
      this.#database.run('UPDATE events SET deliveries = deliveries + 1 WHERE id = ?', id);
      if (requestId === null) continue;
      const note = 'INSERT INTO repeats (event_id, request_id, received_at) VALUES (?, ?, ?)';
      this.#database.run(note, id, requestId, now);
    }
    const stored = accepted - repeated.length;
    this.#database.run(
      'UPDATE totals SET newest_event = ?, received = received + ?',
      before + stored,
      accepted,
    );
    this.#changed();
    return { accepted, repeated: repeated.length, firstEvent: stored === 0 ? null : before + 1 };
  }

  /** Removes the oldest events: those with an id below `id`, but at most `atMost` of them. */
  removeBefore(id: number, atMost: number): void {
    const { oldest, newest } = this.totals;
    const end = Math.min(id, oldest + atMost, newest + 1);
    if (end <= oldest) return;
    this.#database.transaction(() => {
      const removed = '(SELECT sum(deliveries) FROM events WHERE id < ?)';
      this.#database.run(`UPDATE totals SET received = received - ${removed}`, end);
      this.#database.run('DELETE FROM repeats WHERE event_id < ?', end);
      this.#database.run('DELETE FROM events WHERE id < ?', end);
    });
    this.#changed();
  }

  /** The matching events, oldest first. */
  find({ limit, offset, ...filter }: EventQuery): EventRow[] {
    const { sql, values } = conditionOf(filter);
    const rows = this.#database.all<StoredRow>(
      `${STORED} WHERE ${sql} ORDER BY id LIMIT ? OFFSET ?`,
      ...values,
      limit ?? -1,
      offset ?? 0,
    );
    return rows.map((row) => toEventRow(row));
  }

  /** The exact number of matching events. */
  count(filter: EventFilter): EventCounts {
    const { sql, values } = conditionOf(filter);
    const { unique, received } = this.totals;
    if (values.length === 0) return { unique, received };
    const counts = `SELECT count(*) AS "unique", coalesce(sum(deliveries), 0) AS received FROM events WHERE ${sql}`;
    return this.#database.get<EventCounts>(counts, ...values) ?? { unique: 0, received: 0 };
  }

  /** The most frequent values of the matching events, with exact counts. */
  countBy(dimension: EventDimension, limit: number, filter: EventFilter): ValueCount[] {
    const column = dimension === 'event' ? 'name' : 'correlation_value';
    const { sql, values } = conditionOf(filter);
    const rows = this.#database.all<ValueCount>(
      `SELECT ${column} AS value, count(*) AS count
       FROM events WHERE ${sql} GROUP BY ${column} ORDER BY count DESC, value LIMIT ?`,
      ...values,
      limit,
    );
    return rows.map(({ value, count }) => ({ value: unescapeText(value), count }));
  }
}

/**
 * The id of the first of these events that was received at `time` or later, else the id after them. It uses binary search: events
 * are in the order of their times, unless the clock was set back.
 */
export function firstReceived(database: Database, time: number, { oldest, newest }: Extent): number {
  let low = oldest;
  let high = newest + 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const row = database.get<{ at: number }>('SELECT received_at AS at FROM events WHERE id = ?', middle);
    if (row === undefined || row.at < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

type Columns = [uuid: string | null, ...others: string[]];

function columnsOf({ event, text }: ReceivedEvent): Columns {
  const texts = [event.event, event.correlationKey, event.correlationValue, event.source];
  return [event.uuid?.toLowerCase() ?? null, ...texts.map(escapeText), text];
}
