import { hashOf } from '../base/hash.ts';
import type { Journal } from '../keep/journal.ts';
import type { Lifecycle } from '../keep/lifecycle.ts';
import { IndexedDbJournal } from '../keep/page/indexeddb-journal.ts';
import { IndexedDbNote } from '../keep/page/indexeddb-note.ts';
import { databaseName, hasIndexedDb, meeting } from '../keep/page/origin.ts';
import { StoredConsent } from '../keep/page/stored-consent.ts';
import { isHidden } from '../keep/page/tabs.ts';
import { FetchTransport } from '../send/http/fetch-transport.ts';
import type { TextWriter } from '../wait/contents.ts';
import { registerSync } from './background-sync.ts';
import type { JournalPlace, Platform } from './platform.ts';
import { RunningWork } from './running-work.ts';

/** The fields of a place that a browser uses. */
type BrowserPlace = Pick<JournalPlace, 'account' | 'clock' | 'part'>;

/** A page has few events, and a browser few connections to a host: HTTP/1.1 gets six. */
const REQUESTS = 4;

const encoder = new TextEncoder();

const allocate = (bytes: number): Uint8Array => new Uint8Array(bytes);

const text: TextWriter = {
  allocate,
  write: (string, target, offset) => encoder.encodeInto(string, target.subarray(offset)).written,
  byteLength: (string) => encoder.encode(string).length,
  mostWrittenBytes: 512 * 1024,
  // No request says when it is done with its body.
  createMemory: () => ({ take: allocate, give: () => {} }),
};

/** Workers have no document. They are never hidden. */
const page = globalThis.document as (Document & { readonly prerendering?: boolean }) | undefined;

const lifecycle: Lifecycle = {
  listen({ hide, show, online, offline }) {
    const stop = new AbortController();
    const on = (
      type: string,
      callback: (event: Event) => void,
      target: EventTarget | undefined = globalThis,
    ) => target.addEventListener?.(type, callback, { signal: stop.signal });
    const go = (isLeft: boolean, isFollowed: boolean = false) => {
      hide(isLeft, isFollowed);
      if (globalThis.navigator?.onLine === false) registerSync();
    };
    let isFollowed = false;
    const leave = () => go(true, isFollowed);
    // Chromium and WebKit tell whether the next page is of the same origin. That is known before the page is left.
    on('pageswap', (event) => {
      const { activation } = event as Event & {
        readonly activation?: { readonly entry: { readonly url: string | null } | null } | null;
      };
      isFollowed = activation?.entry?.url?.startsWith(`${location.origin}/`) === true;
    });
    // Not on the document: the page's own listeners there run first, and the events that they track are sent too.
    on('visibilitychange', () => (isHidden() ? go(false) : show()));
    on('pagehide', leave);
    on('freeze', leave, page);
    on('pageshow', () => {
      isFollowed = false;
      show();
    });
    on('resume', show, page);
    on('online', online);
    on('offline', offline);
    return () => stop.abort();
  },
  isHidden,
  activated() {
    if (!page?.prerendering) return undefined;
    return new Promise((resolve) => page.addEventListener('prerenderingchange', resolve));
  },
};

export function createJournal({ account, clock, part }: BrowserPlace): Journal | undefined {
  const name = databaseName(hashOf(account), part);
  return hasIndexedDb() ? new IndexedDbJournal(name, meeting(), clock) : undefined;
}

export const platform: Platform = {
  text,
  lifecycle,
  parts: {},
  holdsUnidentified: true,
  commitIntervalMs: 250,
  createJournal,
  createNote: ({ account, clock }) =>
    hasIndexedDb() ? new IndexedDbNote(databaseName(hashOf(account), 'session'), clock) : undefined,
  createConsent: ({ account }, onChange) => new StoredConsent(hashOf(account), onChange),
  exists: async () => true,
  createTransport: (delivery) => new FetchTransport(delivery),
  createConcurrency(most) {
    const limit = Math.min(most, REQUESTS);
    return { limit, waitMs: ({ size }) => (size < limit ? 0 : Number.POSITIVE_INFINITY) };
  },
  createQueue: () => new RunningWork(),
  registerSync,
  createAbortController: () => new AbortController(),
  onAbort(signal, callback) {
    signal.addEventListener('abort', callback);
    return () => signal.removeEventListener('abort', callback);
  },
  writeNow: (commit) => commit.writeNow(),
};
