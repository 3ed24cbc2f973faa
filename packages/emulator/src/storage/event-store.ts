import { setImmediate } from 'node:timers/promises';
import { ArrivalRates } from '../events/rates.ts';
import type { EventCounts, EventDimension, ReceivedEvent, ValueCount } from '../events/tracked-events.ts';
import { type Database, escapeText, sqliteCode, unescapeText } from './database.ts';
import { conditionOf, type EventQuery, type RowFilter } from './event-filter.ts';
import { type EventRow, readEvents } from './event-rows.ts';
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

/** The new events of a batch, and the ids of the events that the others repeat. */
interface Divided {
  readonly fresh: ReceivedEvent[];
  readonly repeated: number[];
}

/** Stands for the id of the first staged event, until that is known. */
const FIRST_STAGED = 2 ** 52;

/** A large batch, before it is stored. */
export class StagedBatch extends Staging implements Divided {
  readonly fresh: ReceivedEvent[] = [];
  readonly repeated: number[] = [];
}

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
  add(batch: readonly ReceivedEvent[], requestId: number, now: number = Date.now()): BatchOutcome {
    const { newest } = this.totals;
    const divided: Divided = { fresh: [], repeated: [] };
    this.#divide(batch, divided, new Map(), newest + 1);
    const rows = divided.fresh.flatMap((each, at) => [newest + 1 + at, now, requestId, ...columnsOf(each)]);
    this.#database.insert('events', `id, received_at, request_id, ${COLUMNS}`, rows);
    return this.#finish(divided, requestId, now);
  }

  /**
   * Begins to store a very large batch: other requests are served meanwhile. Pass what it resolves to to {@link addStaged}, and
   * dispose it.
   */
  async stage(batch: readonly ReceivedEvent[]): Promise<StagedBatch> {
    const staged = new StagedBatch(this.#database, COLUMNS);
    const known = new Map<string, number>();
    for (let from = 0; from < batch.length; from += STAGED_AT_ONCE) {
      await setImmediate();
      const before = staged.fresh.length;
      this.#divide(batch.slice(from, from + STAGED_AT_ONCE), staged, known, FIRST_STAGED);
      staged.add(staged.fresh.slice(before).flatMap(columnsOf));
    }
    return staged;
  }

  /** Like {@link add}, for a batch that was staged. */
  addStaged(staged: StagedBatch, batch: readonly ReceivedEvent[], requestId: number): BatchOutcome {
    const { newest, oldest } = this.totals;
    const now = Date.now();
    if (staged.repeated.some((id) => id < oldest)) return this.add(batch, requestId); // they were removed meanwhile
    try {
      this.#database.run(
        `INSERT INTO events (id, ${COLUMNS}, received_at, request_id) SELECT ? + at, ${COLUMNS}, ?, ? FROM ${staged.table}`,
        ...[newest, now, requestId],
      );
    } catch (error) {
      if (!sqliteCode(error).startsWith('SQLITE_CONSTRAINT')) throw error;
      return this.add(batch, requestId); // another request has brought a uuid of it meanwhile
    }
    const repeated = staged.repeated.map((id) => (id < FIRST_STAGED ? id : newest + 1 + id - FIRST_STAGED));
    return this.#finish({ fresh: staged.fresh, repeated }, requestId, now);
  }

  /** Divides a batch into new and repeated events. `known` has ids by uuid, and gets those of the new events: `first` is the first. */
  #divide(batch: readonly ReceivedEvent[], into: Divided, known: Map<string, number>, first: number): void {
    const stored = this.#database.arrays<[uuid: string, id: number]>(
      'SELECT uuid, id FROM events WHERE uuid IN (SELECT value FROM json_each(?))',
      JSON.stringify(batch.map(uuidOf)),
    );
    for (const [uuid, id] of stored) known.set(uuid, id);
    for (const received of batch) {
      const uuid = uuidOf(received);
      const id = uuid === null ? undefined : known.get(uuid);
      if (id !== undefined) {
        into.repeated.push(id);
        continue;
      }
      if (uuid !== null) known.set(uuid, first + into.fresh.length);
      into.fresh.push(received);
    }
  }

  #finish({ fresh, repeated }: Divided, requestId: number, now: number): BatchOutcome {
    for (const id of repeated) {
      this.#database.run('UPDATE events SET deliveries = deliveries + 1 WHERE id = ?', id);
      const note = 'INSERT INTO repeats (event_id, request_id, received_at) VALUES (?, ?, ?)';
      this.#database.run(note, id, requestId, now);
    }
    for (const { event } of fresh) this.rates.add(event.event);
    const accepted = fresh.length + repeated.length;
    const firstEvent = fresh.length === 0 ? null : this.totals.newest + 1;
    this.#database.run(
      'UPDATE totals SET newest_event = newest_event + ?, received = received + ?',
      ...[fresh.length, accepted],
    );
    this.#changed();
    return { accepted, repeated: repeated.length, firstEvent };
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
    const page = [limit ?? -1, offset ?? 0];
    return readEvents(this.#database, `WHERE ${sql} ORDER BY id LIMIT ? OFFSET ?`, ...values, ...page);
  }

  /** The exact number of matching events. */
  count(filter: RowFilter): EventCounts {
    const { sql, values } = conditionOf(filter);
    const { unique, received } = this.totals;
    if (values.length === 0) return { unique, received };
    const counts = `SELECT count(*) AS "unique", coalesce(sum(deliveries), 0) AS received FROM events WHERE ${sql}`;
    return this.#database.get<EventCounts>(counts, ...values) ?? { unique: 0, received: 0 };
  }

  /** The most frequent values of the matching events, with exact counts. */
  countBy(dimension: EventDimension, limit: number, filter: RowFilter): ValueCount[] {
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

function columnsOf(received: ReceivedEvent): (string | null)[] {
  const { event, text } = received;
  const texts = [event.event, event.correlationKey, event.correlationValue, event.source];
  return [uuidOf(received), ...texts.map(escapeText), text];
}

function uuidOf({ event }: ReceivedEvent): string | null {
  return event.uuid?.toLowerCase() ?? null;
}
