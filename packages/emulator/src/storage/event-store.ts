import { ArrivalRates } from '../events/rates.ts';
import type { EventCounts, ReceivedEvent, ValueCount } from '../events/tracked-events.ts';
import { type Database, escapeText, unescapeText } from './database.ts';
import {
  COLUMN_OF,
  type Condition,
  conditionOf,
  type EventQuery,
  type SearchFilter,
} from './event-filter.ts';
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

  /** Stages events of a batch: a large one in portions, so that requests are served between them. Dispose what it returns. */
  stage(events: readonly ReceivedEvent[], staging: Staging = new Staging(this.#database, COLUMNS)): Staging {
    staging.add(events.flatMap(columnsOf));
    return staging;
  }

  /**
   * Stores a batch that was staged. Of events with the same uuid, it keeps the first and counts the others. Call it in a transaction.
   */
  add({ table }: Staging, requestId: number, now: number = Date.now()): BatchOutcome {
    const { newest } = this.totals;
    // The first event names its id: all others may be removed. SQLite counts on from there, without a gap.
    this.#database.run(
      `INSERT INTO events (id, ${COLUMNS}, received_at, request_id)
       SELECT iif(at = 1, ?, NULL), ${COLUMNS}, ?, ? FROM ${table} WHERE true ORDER BY at
       ON CONFLICT (unhex(uuid, '-')) DO UPDATE SET deliveries = deliveries + 1`,
      ...[newest + 1, now, requestId],
    );
    const [[accepted, last] = [0, newest]] = this.#database.arrays<[accepted: number, last: number]>(
      `SELECT (SELECT count(*) FROM ${table}), coalesce((SELECT max(id) FROM events), ?)`,
      newest,
    );
    const fresh = last - newest;
    if (fresh < accepted) {
      this.#database.run(
        `INSERT INTO repeats (event_id, request_id, received_at) SELECT id, ?, ? FROM events JOIN
         (SELECT unhex(uuid, '-') AS bytes, row_number() OVER (PARTITION BY uuid ORDER BY at) AS nth FROM ${table})
         ON unhex(uuid, '-') = bytes WHERE id <= ? OR nth > 1`,
        ...[requestId, now, newest],
      );
    }
    const names = 'SELECT name, count(*) FROM events WHERE id > ? GROUP BY name';
    for (const [name, count] of this.#database.arrays<[string, number]>(names, newest))
      this.rates.add(unescapeText(name), count);
    this.#database.run('UPDATE totals SET newest_event = ?, received = received + ?', last, accepted);
    this.#changed();
    return { accepted, repeated: accepted - fresh, firstEvent: fresh === 0 ? null : newest + 1 };
  }

  /** Removes the oldest events: those with an id below `id`, but at most `atMost` of them. */
  removeBefore(id: number, atMost: number): void {
    const { oldest, newest } = this.totals;
    const end = Math.min(id, oldest + atMost, newest + 1);
    if (end <= oldest) return;
    // Without WHERE, SQLite does not visit the rows.
    const where = (id: string) => (end > newest ? '' : `WHERE ${id} < ${end}`);
    const left = end > newest ? 0 : `received - (SELECT sum(deliveries) FROM events ${where('id')})`;
    const gone = `DELETE FROM repeats ${where('event_id')}; DELETE FROM events ${where('id')}`;
    this.#database.transaction(() => this.#database.exec(`UPDATE totals SET received = ${left}; ${gone}`));
    this.#changed();
  }

  /** Removes the oldest repeats beyond the newest `most`, but at most `atMost` of them. Returns whether it removed any. */
  removeRepeats(most: number, atMost: number): boolean {
    const ends = '(SELECT min(id) FROM repeats) + ?, (SELECT max(id) + 1 FROM repeats) - ?';
    return this.#database.run(`DELETE FROM repeats WHERE id < min(${ends})`, atMost, most) > 0;
  }

  /** The matching events, oldest first. */
  find({ limit, offset, ...filter }: EventQuery): EventRow[] {
    const { sql, values } = conditionOf(filter);
    const page = [limit ?? -1, offset ?? 0];
    return readEvents(this.#database, `WHERE ${sql} ORDER BY id LIMIT ? OFFSET ?`, ...values, ...page);
  }

  /** The exact number of matching events. */
  count(filter: SearchFilter): EventCounts {
    const { sql, values } = conditionOf(filter);
    const { unique, received } = this.totals;
    if (values.length === 0) return { unique, received };
    const counts = `SELECT count(*) AS "unique", coalesce(sum(deliveries), 0) AS received FROM events WHERE ${sql}`;
    return this.#database.get<EventCounts>(counts, ...values) ?? { unique: 0, received: 0 };
  }

  /** The most frequent values of the matching events, with exact counts. */
  countBy(field: keyof typeof COLUMN_OF, limit: number, { sql, values }: Condition): ValueCount[] {
    const column = COLUMN_OF[field];
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

function columnsOf({ event, text }: ReceivedEvent): (string | null)[] {
  const texts = [event.event, event.correlationKey, event.correlationValue, event.source];
  return [event.uuid?.toLowerCase() ?? null, ...texts.map(escapeText), text];
}
