import { ConfigError, describe, type Event } from '@sluice/protocol';
import { checkNames } from './known-names.ts';

/** An event as the event tracker holds it. */
export interface StoredEvent {
  /** The event as it was received first. */
  readonly event: Event;
  /** Its uuid in lower case; undefined where it came without one. */
  readonly uuid: string | undefined;
  /** When it was received first: ISO 8601 UTC with milliseconds. */
  readonly receivedAt: string;
  /** How many times its uuid was received, at least 1. Always 1 without a uuid. */
  readonly deliveries: number;
  /** Whether its `correlationKey` is the selected primary key and a customer with its `correlationValue` exists now. */
  readonly attributed: boolean;
}

/** Which events are meant: those that match all the given fields exactly. Without any field, all events. */
export interface EventFilter {
  /** Name of the event. */
  readonly name?: string | undefined;
  readonly correlationValue?: string | undefined;
  readonly source?: string | undefined;
  /** Compared without regard to case. */
  readonly uuid?: string | undefined;
  /** `true`: only events of a known customer; `false`: only the others. */
  readonly attributed?: boolean | undefined;
}

/** Which events to return. */
export interface EventQuery extends EventFilter {
  /** At most so many events, from 0. Default: all. */
  readonly limit?: number | undefined;
  /** Skip so many of the oldest, from 0. Default 0. */
  readonly offset?: number | undefined;
}

/** How many events there are. */
export interface EventCounts {
  /** Events stored: a repeated uuid counts once. */
  readonly unique: number;
  /** Events received: every repeat of a uuid counts. */
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
const INTEGERS = ['limit', 'offset'] as const;
const FILTER_NAMES: readonly string[] = [...STRINGS, 'attributed'];
const QUERY_NAMES: readonly string[] = [...FILTER_NAMES, ...INTEGERS];

/** Throws {@link ConfigError} where a filter has a field that is unknown or of the wrong type. */
export function checkFilter(filter: EventFilter): void {
  checkFields(filter, FILTER_NAMES);
}

/** Throws {@link ConfigError} where a query has a field that is unknown or of the wrong type. */
export function checkQuery(query: EventQuery): void {
  checkFields(query, QUERY_NAMES);
  for (const name of INTEGERS) if (query[name] !== undefined) checkCount(name, query[name]);
}

/** Throws {@link ConfigError} where `value` is not an integer from 0. */
export function checkCount(name: string, value: unknown): void {
  if (!Number.isSafeInteger(value) || Number(value) < 0) {
    throw new ConfigError(name, `${name} must be an integer from 0, got ${describe(value)}`);
  }
}

function checkFields(filter: EventFilter, allowed: readonly string[]): void {
  checkNames('query', filter, allowed, 'a field to query events by');
  for (const name of STRINGS) {
    const value: unknown = filter[name];
    if (value !== undefined && typeof value !== 'string') {
      throw new ConfigError(name, `${name} must be a string, got ${describe(value)}`);
    }
  }
  const attributed: unknown = filter.attributed;
  if (attributed !== undefined && typeof attributed !== 'boolean') {
    throw new ConfigError('attributed', `attributed must be true or false, got ${describe(attributed)}`);
  }
}
