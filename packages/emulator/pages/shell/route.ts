import { type ReadonlySignal, signal } from '@preact/signals';

/** Where in the pages one is: what stands behind `#/` in the address: a page, then what is open in it, then a query. */
export interface Route {
  readonly page: string;
  readonly rest: readonly string[];
  readonly query: URLSearchParams;
}

const current = signal(read());
addEventListener('hashchange', () => {
  current.value = read();
});

/** The route, which pages read and links (`href="#/…"`) change. */
export const route: ReadonlySignal<Route> = current;

/** The address of a route, for a link. Empty values of the query are left out. */
export function link(parts: readonly string[], query: Readonly<Record<string, string>> = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== '');
  const search = given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
  return `#/${parts.map(encodeURIComponent).join('/')}${search}`;
}

/** Goes to a route without an entry in the history: what is typed into a filter is no step to go back to. */
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
    return text; // typed by hand
  }
}
