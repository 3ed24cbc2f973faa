import { type ReadonlySignal, signal } from '@preact/signals';

/** The place in the pages, from the address after `#/`: a page, then what is open in it, then a query. */
export interface Route {
  readonly page: string;
  readonly rest: readonly string[];
  readonly query: URLSearchParams;
}

const current = signal(read());
addEventListener('hashchange', () => {
  current.value = read();
});

/** The current route. Pages read it, and links (`href="#/…"`) change it. */
export const route: ReadonlySignal<Route> = current;

/** The address of a route, for a link. Empty values of the query are left out. */
export function link(parts: readonly string[], query: Readonly<Record<string, string>> = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== '');
  const search = given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
  return `#/${parts.map(encodeURIComponent).join('/')}${search}`;
}

/** Goes to a route without an entry in the history, because going back should not undo the typing in a filter. */
export function replaceRoute(to: string): void {
  history.replaceState(null, '', to);
  current.value = read();
}

function read(): Route {
  const [path = '', search = ''] = location.hash.replace(/^#\/?/, '').split('?', 2);
  const [page = '', ...rest] = path.split('/').map(decode);
  return { page, rest, query: new URLSearchParams(search) };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // the user may have typed it
  }
}
