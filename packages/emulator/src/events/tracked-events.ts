import type { Event } from '@sluice/protocol';
import { flag, type Rule, readRules, whole } from '@sluice/protocol/toolbox';

/** An event to store: its fields, and its JSON text as received. */
export interface ReceivedEvent {
  readonly event: Event;
  readonly text: string;
}

/** An event as the event tracker stores it. */
export interface StoredEvent {
  /** The event as it was first received. */
  readonly event: Event;
  /** Its uuid in lower case; undefined if it came without one. */
  readonly uuid: string | undefined;
  /** When it was first received: ISO 8601 UTC with milliseconds. */
  readonly receivedAt: string;
  /** How many times its uuid was received, at least 1. Always 1 without a uuid. */
  readonly deliveries: number;
  /** Whether its `correlationKey` is the selected primary key and a customer with its `correlationValue` exists now. */
  readonly attributed: boolean;
}

/** Selects the events that match all given fields exactly. Without any field: all events. */
export interface EventFilter {
  /** Name of the event. */
  readonly name?: string | undefined;
  readonly correlationValue?: string | undefined;
  readonly source?: string | undefined;
  /** Case is ignored. */
  readonly uuid?: string | undefined;
  /** `true`: only events of a known customer; `false`: only the others. */
  readonly attributed?: boolean | undefined;
}

/** Which events to return. */
export interface EventQuery extends EventFilter {
  /** Maximum number of events, from 0. Default: all. */
  readonly limit?: number | undefined;
  /** How many of the oldest matching events to skip, from 0. Default 0. */
  readonly offset?: number | undefined;
}

/** How many events are stored. Those that were removed (`maxEvents`) do not count. */
export interface EventCounts {
  /** A repeated uuid counts once. */
  readonly unique: number;
  /** Every repeat of a uuid counts. */
  readonly received: number;
}

/** What events can be counted by: their name or their `correlationValue`. */
export type EventDimension = 'event' | 'correlationValue';

/** One value and the number of unique events that have it. */
export interface ValueCount {
  readonly value: string;
  readonly count: number;
}

/** The rule for a number of events, or for how many to skip. */
export const COUNT: Rule = whole(undefined, 0, Number.MAX_SAFE_INTEGER);
const TEXT: Rule = [(value) => typeof value === 'string', 'a string'];
const FILTER = { name: TEXT, correlationValue: TEXT, source: TEXT, uuid: TEXT, attributed: flag() };

/** Throws {@link ConfigError} if a filter has a field that is unknown or of the wrong type. `path`: its name in the message. */
export function readFilter(filter: unknown, path = ''): EventFilter {
  return readRules(FILTER, path, filter);
}

/** Throws {@link ConfigError} if a query has a field that is unknown or of the wrong type. */
export function readQuery(query: unknown): EventQuery {
  return readRules({ ...FILTER, limit: COUNT, offset: COUNT }, '', query);
}
