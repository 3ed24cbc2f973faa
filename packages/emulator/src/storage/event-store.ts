import type { Event } from '@sluice/protocol';
import { ArrivalRates } from '../rates.ts';
import type {
  EventCounts,
  EventDimension,
  EventFilter,
  EventQuery,
  StoredEvent,
  ValueCount,
} from '../tracked-events.ts';
import { type Database, inTransaction, type Statement } from './database.ts';
import { escapeText, unescapeText } from './escaped-text.ts';
import { ATTRIBUTED, conditions } from './event-conditions.ts';

/** An event to store: its fields, and the JSON text that it came as. */
export interface ReceivedEvent {
  readonly event: Event;
  readonly text: string;
}

/** A stored event whose body is still the JSON text that it came as. */
export interface EventRow extends Omit<StoredEvent, 'event'> {
  readonly text: string;
}

/** What became of a batch. */
export interface BatchOutcome {
  /** Events in the batch: all of them were taken. */
  readonly accepted: number;
  /** Those of them whose uuid was stored already. */
  readonly repeated: number;
  /** Id of the first event that is new; those that follow it are the other new ones. Null where there is none. */
  readonly firstEvent: number | null;
}

/** The event tracker: the events received, in their order of arrival. */
export class EventStore {
  /** How many new events came in of late. */
  readonly rates: ArrivalRates = new ArrivalRates();
  readonly #database: Database;
  readonly #put: Statement;
  readonly #repeat: Statement;
  readonly #keepRepeat: Statement;

  constructor(database: Database) {
    this.#database = database;
    this.#put = database.prepare(
      `INSERT INTO events (uuid, name, correlation_key, correlation_value, source, received_at, body, request_id)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (uuid) DO NOTHING`,
    );
    this.#repeat = database.prepare('UPDATE events SET deliveries = deliveries + 1 WHERE uuid = ?');
    this.#keepRepeat = database.prepare(
      'INSERT INTO repeats (event_id, request_id, received_at) SELECT id, ?, ? FROM events WHERE uuid = ?',
    );
  }

  /** Stores a batch, all or nothing. Of events with one uuid, the first is kept and the others are counted. */
  add(batch: readonly ReceivedEvent[], requestId: number): BatchOutcome {
    const now = Date.now();
    return inTransaction(this.#database, () => {
      let repeated = 0;
      let firstEvent: number | null = null;
      for (const received of batch) {
        const id = this.#add(received, now, requestId);
        if (id === undefined) repeated += 1;
        else firstEvent ??= id;
      }
      return { accepted: batch.length, repeated, firstEvent };
    });
  }

  /** The id of the event, which is new; undefined where its uuid is stored already, which is counted. */
  #add({ event, text }: ReceivedEvent, now: number, requestId: number): number | undefined {
    const uuid = event.uuid?.toLowerCase() ?? null;
    const { changes, lastInsertRowid } = this.#put.run(
      uuid,
      escapeText(event.event),
      escapeText(event.correlationKey),
      escapeText(event.correlationValue),
      escapeText(event.source),
      now,
      text,
      requestId,
    );
    if (changes > 0) {
      this.rates.add(event.event);
      return Number(lastInsertRowid);
    }
    this.#repeat.run(uuid);
    this.#keepRepeat.run(requestId, now, uuid);
    return undefined;
  }

  find({ limit, offset, ...filter }: EventQuery): EventRow[] {
    const { where, values } = conditions(filter);
    const rows = this.#database
      .prepare(
        `SELECT uuid, received_at, deliveries, body, ${ATTRIBUTED} AS attributed
         FROM events ${where} ORDER BY id LIMIT ? OFFSET ?`,
      )
      .all(...values, limit ?? -1, offset ?? 0);
    return rows.map((row) => toEventRow(row as Row));
  }

  count(filter: EventFilter): EventCounts {
    const { where, values } = conditions(filter);
    const row = this.#database
      .prepare(`SELECT count(*) AS "unique", coalesce(sum(deliveries), 0) AS received FROM events ${where}`)
      .get(...values);
    const { unique, received } = row as EventCounts;
    return { unique, received };
  }

  countBy(dimension: EventDimension, limit: number, filter: EventFilter): ValueCount[] {
    const column = dimension === 'event' ? 'name' : 'correlation_value';
    const { where, values } = conditions(filter);
    const rows = this.#database
      .prepare(
        `SELECT ${column} AS value, count(*) AS count
         FROM events ${where} GROUP BY ${column} ORDER BY count DESC, value LIMIT ?`,
      )
      .all(...values, limit);
    return (rows as ValueCount[]).map(({ value, count }) => ({ value: unescapeText(value), count }));
  }
}

interface Row {
  readonly uuid: string | null;
  readonly received_at: number;
  readonly deliveries: number;
  readonly body: string;
  readonly attributed: number;
}

function toEventRow(row: Row): EventRow {
  return {
    text: row.body,
    uuid: row.uuid ?? undefined,
    receivedAt: new Date(row.received_at).toISOString(),
    deliveries: row.deliveries,
    attributed: row.attributed === 1,
  };
}
