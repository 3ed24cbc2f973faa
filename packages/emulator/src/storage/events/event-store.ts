import { ArrivalRates } from '../../events/rates.ts';
import type {
  EventCounts,
  EventDimension,
  EventFilter,
  EventQuery,
  ReceivedEvent,
  StoredEvent,
  ValueCount,
} from '../../events/tracked-events.ts';
import type { Extent } from '../../search/indexer.ts';
import { type Database, inTransaction, type Statement } from '../database.ts';
import { RowInsert } from '../row-insert.ts';
import { escapeText, unescapeText } from './escaped-text.ts';
import { ATTRIBUTED, conditions } from './event-conditions.ts';
import { EventStaging } from './event-staging.ts';
import { firstReceived } from './event-times.ts';

/** A stored event whose body is still the JSON text that was received. */
export interface EventRow extends Omit<StoredEvent, 'event'> {
  readonly text: string;
}

/** What happened to a batch. */
export interface BatchOutcome {
  /** Number of events in the batch: all of them were accepted. */
  readonly accepted: number;
  /** How many of them had a uuid that was already stored. */
  readonly repeated: number;
  /** Id of the first new event; the other new events have the ids that follow. Null if there is none. */
  readonly firstEvent: number | null;
}

/** How many events there are, and the ids of the oldest and the newest. */
export interface EventTotals extends EventCounts, Extent {}

/** The event tracker: stores the received events, in order of arrival. */
export class EventStore {
  /** The number of new events in each of the last seconds. */
  readonly rates: ArrivalRates = new ArrivalRates();
  readonly #database: Database;
  readonly #changed: () => void;
  readonly #put: RowInsert;
  readonly #known: Statement;
  readonly #repeat: Statement;
  readonly #noteRepeat: Statement;
  readonly #saveTotals: Statement;
  #oldest = 1;
  #newest = 0;
  #received = 0;
  #stagings = 0;

  /** `changed` is called during each change. It must do its own work later. */
  constructor(database: Database, changed: () => void = () => {}) {
    this.#database = database;
    this.#changed = changed;
    this.#put = new RowInsert(database, 'events', [
      ...['id', 'uuid', 'name', 'correlation_key', 'correlation_value'],
      ...['source', 'received_at', 'request_id', 'body'],
    ]);
    this.#known = database
      .prepare('SELECT uuid, id FROM events WHERE uuid IN (SELECT value FROM json_each(?))')
      .raw(true);
    this.#repeat = database.prepare('UPDATE events SET deliveries = deliveries + 1 WHERE id = ?');
    this.#noteRepeat = database.prepare(
      'INSERT INTO repeats (event_id, request_id, received_at) VALUES (?, ?, ?)',
    );
    this.#saveTotals = database.prepare('UPDATE totals SET newest_event = ?, received = ?');
    this.reload();
  }

  /** How many events there are, and the ids of the oldest and the newest. Ids have no gap. Reading the totals costs nothing. */
  get totals(): EventTotals {
    const [oldest, newest] = [this.#oldest, this.#newest];
    return { oldest, newest, unique: newest - oldest + 1, received: this.#received };
  }

  /**
   * Stores a batch. Of events with the same uuid, it keeps the first and counts the others. Call it in a transaction. If that is
   * rolled back, call {@link reload}.
   */
  add(batch: readonly ReceivedEvent[], requestId: number | null, now: number = Date.now()): BatchOutcome {
    const uuids = batch.map(({ event }) => event.uuid?.toLowerCase());
    const known = new Map(this.#known.all(JSON.stringify(uuids)) as [uuid: string, id: number][]);
    const before = this.#newest;
    const fresh: (string | number | null)[] = [];
    const repeated: number[] = [];
    for (const [at, { event, text }] of batch.entries()) {
      const uuid = uuids[at];
      const id = uuid === undefined ? undefined : known.get(uuid);
      if (id !== undefined) {
        repeated.push(id);
        continue;
      }
      this.#newest += 1;
      fresh.push(this.#newest, uuid ?? null, escapeText(event.event), escapeText(event.correlationKey));
      fresh.push(escapeText(event.correlationValue), escapeText(event.source), now, requestId, text);
      this.rates.add(event.event);
      if (uuid !== undefined) known.set(uuid, this.#newest);
    }
    this.#put.run(fresh);
    return this.#finish(batch.length, before, repeated, requestId, now);
  }

  /** Begins to store a very large batch. Pass what it resolves to to {@link addStaged}, and dispose it. */
  async stage(batch: readonly ReceivedEvent[]): Promise<EventStaging> {
    this.#stagings += 1;
    const staging = new EventStaging(this.#database, this.#stagings);
    await staging.stage(batch);
    return staging;
  }

  /** Like {@link add}, for a batch that was staged. */
  addStaged(staging: EventStaging, batch: readonly ReceivedEvent[], requestId: number | null): BatchOutcome {
    const [before, now] = [this.#newest, Date.now()];
    const { stored, repeated } = staging.store(before, now, requestId);
    this.#newest += stored;
    for (const { event } of batch) this.rates.add(event.event);
    return this.#finish(batch.length, before, repeated, requestId, now);
  }

  #finish(
    length: number,
    before: number,
    repeated: readonly number[],
    requestId: number | null,
    now: number,
  ): BatchOutcome {
    for (const id of repeated) {
      this.#repeat.run(id);
      if (requestId !== null) this.#noteRepeat.run(id, requestId, now);
    }
    this.#received += length;
    this.#saveTotals.run(this.#newest, this.#received);
    this.#changed();
    return {
      accepted: length,
      repeated: repeated.length,
      firstEvent: this.#newest === before ? null : before + 1,
    };
  }

  /** Reads the totals again, after a transaction was rolled back. */
  reload(): void {
    const totals = this.#database.prepare('SELECT newest_event AS newest, received FROM totals').get();
    const { newest, received } = totals as { newest: number; received: number };
    const row = this.#database.prepare('SELECT min(id) AS oldest FROM events').get() as {
      oldest: number | null;
    };
    this.#newest = newest;
    this.#received = received;
    this.#oldest = row.oldest ?? newest + 1;
  }

  /**
   * Id of the oldest event that was received at `time` or later. It checks only the oldest `atMost` events; if none of them is
   * that new, it returns the id after them.
   */
  firstSince(time: number, atMost: number): number {
    const last = Math.min(this.#newest, this.#oldest + atMost - 1);
    return firstReceived(this.#database, time, this.#oldest, last);
  }

  /** Removes the oldest events: those with an id below `id`, but at most `atMost` of them. */
  removeBefore(id: number, atMost: number): void {
    const end = Math.min(id, this.#oldest + atMost, this.#newest + 1);
    if (end <= this.#oldest) return;
    inTransaction(this.#database, () => {
      const row = this.#database
        .prepare('SELECT sum(deliveries) AS received FROM events WHERE id < ?')
        .get(end);
      this.#database.prepare('DELETE FROM repeats WHERE event_id < ?').run(end);
      this.#database.prepare('DELETE FROM events WHERE id < ?').run(end);
      this.#received -= (row as { received: number }).received;
      this.#saveTotals.run(this.#newest, this.#received);
      this.#oldest = end;
    });
    this.#changed();
  }

  /** The matching events, oldest first. */
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

  /** The exact number of matching events. */
  count(filter: EventFilter): EventCounts {
    const { where, values } = conditions(filter);
    if (where === '') return { unique: this.totals.unique, received: this.totals.received };
    const row = this.#database
      .prepare(`SELECT count(*) AS "unique", coalesce(sum(deliveries), 0) AS received FROM events ${where}`)
      .get(...values);
    const { unique, received } = row as EventCounts;
    return { unique, received };
  }

  /** The most frequent values of the matching events, with exact counts. */
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
