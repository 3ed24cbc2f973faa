import type { Event } from '@sluice/protocol';
import { refusal } from '@sluice/protocol/toolbox';
import { checkNames } from '../behaviour/known-names.ts';

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

/** How many events are stored. Those that were removed (`maxEvents`, `maxAgeMs`) do not count. */
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

const STRINGS = ['name', 'correlationValue', 'source', 'uuid'] as const;
const FILTER_NAMES: readonly string[] = [...STRINGS, 'attributed'];

/** Throws {@link ConfigError} if a filter has a field that is unknown or of the wrong type. */
export function checkFilter(filter: unknown): asserts filter is EventFilter {
  checkFields(filter, FILTER_NAMES);
}

/** Throws {@link ConfigError} if a query has a field that is unknown or of the wrong type. */
export function checkQuery(query: unknown): asserts query is EventQuery {
  const { limit = 0, offset = 0 }: EventQuery = checkFields(query, [...FILTER_NAMES, 'limit', 'offset']);
  checkCount('limit', limit);
  checkCount('offset', offset);
}

/** Throws {@link ConfigError} if `value` is not an integer from 0. */
export function checkCount(name: string, value: unknown): asserts value is number {
  if (!Number.isSafeInteger(value) || Number(value) < 0) {
    throw refusal(name, 'an integer from 0', value);
  }
}

function checkFields(filter: unknown, allowed: readonly string[]): EventFilter {
  checkNames('query', filter, allowed, 'a field to query events by');
  const { attributed, ...fields }: EventFilter = filter;
  for (const name of STRINGS) {
    if (fields[name] !== undefined && typeof fields[name] !== 'string')
      throw refusal(name, 'a string', fields[name]);
  }
  if (attributed !== undefined && typeof attributed !== 'boolean') {
    throw refusal('attributed', 'true or false', attributed);
  }
  return filter;
}
