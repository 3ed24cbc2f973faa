import { type Signal, signal } from '@preact/signals';

/** Fields of a query. Empty ones are left out. */
export type Query = Readonly<Record<string, string>>;

/** The place in the pages, from the address after `#/`: a page, then what is open in it, then a query. */
export interface Route {
  readonly page: string;
  readonly rest: readonly string[];
  readonly query: Query;
}

/** The current route. Pages read it, and links (`href="#/…"`) change it. */
export const route: Signal<Route> = signal(read());
addEventListener('hashchange', () => {
  route.value = read();
});

/** The address of a route, for a link. */
export function link(parts: readonly string[], query: Query = {}): string {
  const search = new URLSearchParams(given(query));
  return `#/${parts.map(encodeURIComponent).join('/')}${search.size === 0 ? '' : `?${search}`}`;
}

/**
 * The address of the current page with something else open in it, by default nothing. What is searched stays, but for `changed`.
 */
export function here(open: string | number = '', changed: Query = {}): string {
  const { page, query } = route.value;
  const { value: _, ...searched } = query;
  return link(open === '' ? [page] : [page, String(open)], { ...searched, ...changed });
}

/** The id that the address names after the page, if it is one. */
export function openId(): number | undefined {
  const [id = ''] = route.value.rest;
  return /^\d+$/.test(id) ? Number(id) : undefined;
}

/** Changes what is searched, so that Back undoes it. While the user types in a field, only the first change makes an entry. */
export function setQuery(changed: Query, typed = ''): void {
  const { rest, query } = route.peek();
  const go = query[typed] ? replaceRoute : pushRoute;
  go(here(rest[0], changed));
}

/** Goes to a route, so that Back undoes it. */
export function pushRoute(to: string): void {
  history.pushState(null, '', to);
  route.value = read();
}

/** Goes to a route without an entry in the history: Back should not go through all rows that the user has passed. */
export function replaceRoute(to: string): void {
  history.replaceState(null, '', to);
  route.value = read();
}

function read(): Route {
  const [path = '', search = ''] = location.hash.replace(/^#\/?/, '').split('?', 2);
  const [page, ...rest] = path.split('/').map(decode);
  return { page: page || 'tracker', rest, query: given(Object.fromEntries(new URLSearchParams(search))) };
}

function given(query: Query): Query {
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value.trim() !== ''));
}

/** Undoes `encodeURIComponent`. */
export function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // the user may have typed it
  }
}
