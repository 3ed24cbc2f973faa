import { ConfigError } from '@sluice/protocol';
import { describe } from '@sluice/protocol/toolbox';
import {
  checkCount,
  checkFilter,
  checkQuery,
  type EventFilter,
  type EventQuery,
} from '../events/tracked-events.ts';

const DEFAULT_EVENTS = 100;
const MOST_EVENTS = 10_000;
const DEFAULT_VALUES = 10;

/** Reads a query from URL parameters; it always has a limit. Throws {@link ConfigError}. */
export function readQuery(parameters: URLSearchParams): EventQuery {
  const query = readFields(parameters, DEFAULT_EVENTS);
  checkQuery(query);
  if (query.limit > MOST_EVENTS) {
    throw new ConfigError('limit', `limit must not be above ${MOST_EVENTS}, got ${query.limit}: use offset`);
  }
  return query;
}

/** Reads a filter, and how many values are wanted, from URL parameters. Throws {@link ConfigError}. */
export function readFilter(parameters: URLSearchParams): {
  readonly limit: number;
  readonly filter: EventFilter;
} {
  const { limit, ...filter } = readFields(parameters, DEFAULT_VALUES);
  checkCount('limit', limit);
  checkFilter(filter);
  return { limit, filter };
}

function readFields(
  parameters: URLSearchParams,
  defaultLimit: number,
): EventQuery & { readonly limit: number } {
  const { limit, offset, attributed, ...strings } = Object.fromEntries(parameters);
  return {
    ...strings,
    limit: limit === undefined ? defaultLimit : toNumber('limit', limit),
    ...(offset === undefined ? {} : { offset: toNumber('offset', offset) }),
    ...(attributed === undefined ? {} : { attributed: toBoolean('attributed', attributed) }),
  };
}

function toNumber(name: string, text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  throw new ConfigError(name, `${name} must be an integer from 0, got ${describe(text)}`);
}

function toBoolean(name: string, text: string): boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  throw new ConfigError(name, `${name} must be true or false, got ${describe(text)}`);
}
