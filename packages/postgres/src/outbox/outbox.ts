import type { AnyEvents, TrackOptions } from '@sluice/core';
import {
  createEventWriter,
  type EventWriterOptions,
  type IfBare,
  laneOf,
  type WrittenEvent,
} from '@sluice/core/event-writer';
import { ConfigError } from '@sluice/protocol';
import { describe } from '@sluice/protocol/toolbox';
import { lacksTable, QueryError } from '../database/query-error.ts';
import { quotedSchema } from '../schema/schema-name.ts';
import { type OutboxClient, type RunQuery, runQueryOf } from './run-query.ts';

/** Events are spread over so many slots. The events of one customer are in one. */
const SLOTS = 16;

/**
 * The options of `createTracker` that count when an event is made, and the schema. A hook that throws makes `track()` reject with a
 * ConfigError.
 */
export interface OutboxOptions extends EventWriterOptions {
  /** The schema that `migrate()` made. Default: `sluice`. */
  readonly schema?: string | undefined;
}

/** Options of one event. An outbox has no priorities. */
export type OutboxTrackOptions = Omit<TrackOptions, 'priority'>;

/** An event for `trackAll()`: its name, its payload, and its options. */
export type OutboxEvent<Events = AnyEvents> = OutboxTrackOptions &
  {
    [Name in keyof Events & string]: { readonly name: Name } & IfBare<
      Events[Name],
      { readonly payload?: Events[Name] | undefined },
      { readonly payload: Events[Name] }
    >;
  }[keyof Events & string];

/** Puts events into the outbox, in transactions of the application. Made by `createOutbox`. Its methods need no `this`. */
export interface Outbox<Events = AnyEvents> {
  /**
   * Inserts one event. It is delivered if and only if the transaction commits.
   *
   * @returns How many events were inserted: 0 if `beforeSend` or `sample` dropped it.
   * @throws Rejects with an InvalidEventError before it runs a statement, and with the errors of `client`. After those, the
   *   transaction cannot commit.
   * @example await outbox.track(client, 'purchase', { total: 42.5 }, { correlationValue: 'ada@example.com' });
   */
  track<Name extends keyof Events & string>(
    client: OutboxClient,
    name: Name,
    ...event: IfBare<
      Events[Name],
      [payload?: Events[Name], options?: OutboxTrackOptions],
      [payload: Events[Name], options?: OutboxTrackOptions]
    >
  ): Promise<number>;
  /**
   * Inserts events with one statement, in their order.
   *
   * @returns As `track()`.
   * @throws As `track()`. If one event is invalid, none is inserted.
   * @example await outbox.trackAll(client, [{ name: 'purchase', payload: { total: 42.5 }, correlationValue: 'ada@example.com' }]);
   */
  trackAll(client: OutboxClient, events: Iterable<OutboxEvent<Events>>): Promise<number>;
}

/**
 * Makes an outbox. It has no connection of its own.
 *
 * @throws A ConfigError if an option is wrong.
 * @example const outbox = createOutbox({ correlationKey: 'email' });
 */
export function createOutbox<Events extends object = AnyEvents>(options: OutboxOptions): Outbox<Events> {
  const { schema, ...writerOptions } = { ...options };
  const table = `${quotedSchema(schema)}.outbox`;
  const write = createEventWriter(writerOptions);
  const insertOne = `insert into ${table} (slot, body) values ($1, $2)`;
  // One text holds all: every driver can pass it, and the statement is always the same.
  const insertAll = `insert into ${table} (slot, body)
select (event ->> 0)::smallint, event ->> 1
from json_array_elements($1::text::json) with ordinality as given (event, place) order by place`;

  return {
    async track(client, name, ...[payload, options]) {
      const run = runQueryOf(client);
      const event = write(name, payload, options);
      if (typeof event === 'string') return 0;
      await insert(run, insertOne, rowOf(event));
      return 1;
    },
    async trackAll(client, events) {
      const run = runQueryOf(client);
      if (typeof Object(events)[Symbol.iterator] !== 'function')
        throw new ConfigError('events', `events must be a list of events, got ${describe(events)}`);
      const rows = [];
      for (const given of events) {
        const { name, payload, ...options }: OutboxEvent = Object(given);
        const event = write(name, payload, options);
        if (typeof event !== 'string') rows.push(rowOf(event));
      }
      if (rows.length > 0) await insert(run, insertAll, [JSON.stringify(rows)]);
      return rows.length;
    },
  };
}

async function insert(run: RunQuery, sql: string, values: (string | number)[]): Promise<void> {
  try {
    await run(sql, values);
  } catch (cause) {
    throw lacksTable(cause) ? new QueryError('insert events', cause, false) : cause;
  }
}

function rowOf({ text, customer }: WrittenEvent): [slot: number, body: string] {
  return [laneOf(customer) % SLOTS, text];
}
