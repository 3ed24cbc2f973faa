import { payloadKeys } from '../../src/search/payload-query.ts';
import { type Query, route } from '../shell/route.ts';

/** Whether a query of the address filters nothing, so that all events match. `keys` only says what is shown in columns. */
export function isOpen(query: Query): boolean {
  return Object.keys(query).every((field) => field === 'keys');
}

/** The keys of payloads that are shown in columns. */
export function shownKeys(): string[] {
  return payloadKeys(route.value.query.keys ?? '');
}

/** The path of a tracker route, for the events that match the query of the address. */
export function trackerPath(path: string, more: Query = {}): string {
  const query = new URLSearchParams({ ...route.value.query, ...more });
  return `/events${path}${query.size === 0 ? '' : `?${query}`}`;
}
