import { flag, type Rule, readRules, whole } from '@sluice/protocol/toolbox';
import { escapeText } from './database.ts';

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

/** Which events to search for: those that match all given fields. */
export interface SearchFilter extends EventFilter {
  /** Typed text: words that the name, the customer or the payload must have. The last one may be the beginning of a word. */
  readonly text?: string | undefined;
  /** Received at `from` or later, and before `to`: milliseconds since 1970. If the clock was set back, a search may miss some. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly payload?: readonly Condition[] | undefined;
}

/** SQL that must hold for a row of `events`, and the values of its parameters. */
export interface Condition {
  readonly sql: string;
  readonly values: readonly (string | number)[];
}

/** The rule for a number of events, or for how many to skip. */
export const COUNT: Rule = whole(undefined, 0, Number.MAX_SAFE_INTEGER);
/** The columns of text that events are selected and counted by. Their values are escaped. */
export const COLUMN_OF = { name: 'name', correlationValue: 'correlation_value', source: 'source' } as const;
const TEXT: Rule = [(value) => typeof value === 'string', 'a string'];
const FILTER = { name: TEXT, correlationValue: TEXT, source: TEXT, uuid: TEXT, attributed: flag() };

/** SQL that is 1 for a row of `events` whose customer exists now, else 0. It is not stored, because customers come and go. */
export const ATTRIBUTED: string = `coalesce(
  events.correlation_key = (SELECT value FROM settings WHERE name = 'primary_key')
  AND EXISTS (SELECT 1 FROM customers WHERE primary_value = events.correlation_value), 0)`;

/** Throws {@link ConfigError} if a filter has a field that is unknown or of the wrong type. `path`: its name in the message. */
export function readFilter(filter: unknown, path = ''): EventFilter {
  return readRules(FILTER, path, filter);
}

/** Throws {@link ConfigError} if a query has a field that is unknown or of the wrong type. */
export function readQuery(query: unknown): EventQuery {
  return readRules({ ...FILTER, limit: COUNT, offset: COUNT }, '', query);
}

/** The condition that an event matches all given fields but `text`: only the index knows the words of events. */
export function conditionOf({ payload = [], ...filter }: SearchFilter): Condition {
  const { name, correlationValue, source, uuid, attributed, from, to } = filter;
  const wanted = [
    ['name = ?', name && escapeText(name)],
    ['correlation_value = ?', correlationValue && escapeText(correlationValue)],
    ['source = ?', source && escapeText(source)],
    [`unhex(uuid, '-') = unhex(?, '-')`, uuid],
    [`${ATTRIBUTED} = ?`, attributed === undefined ? undefined : Number(attributed)],
    ['received_at >= ?', from],
    ['received_at < ?', to],
  ] as const;
  const given = wanted.flatMap(([sql, value]) => (value === undefined ? [] : { sql, values: [value] }));
  return allOf([...given, ...payload]);
}

/** The condition that all of these hold. */
export function allOf(conditions: readonly Condition[]): Condition {
  return {
    sql: ['1', ...conditions.map(({ sql }) => sql)].join(' AND '),
    values: conditions.flatMap(({ values }) => values),
  };
}
