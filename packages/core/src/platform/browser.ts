import { IndexedDbNote } from '../keep/page/indexeddb-note.ts';

// That comes first: gzip looks back 32 KiB, and finds more that is alike in this order.

import { redactor } from '@sluice/protocol/toolbox';
import type { AccountNames } from '../keep/account.ts';
import type { Journal } from '../keep/journal.ts';
import type { Lifecycle } from '../keep/lifecycle.ts';
import { createIndexedDbJournal } from '../keep/page/indexeddb-journal.ts';
import { loadText, saveText } from '../keep/page/local-storage.ts';
import { databaseName, hasIndexedDb, meeting } from '../keep/page/origin.ts';
import { createConsentStore } from '../keep/page/stored-consent.ts';
import { isHidden } from '../keep/page/tabs.ts';
import { relay } from '../parts/relay/relay.ts';
import { FetchTransport } from '../send/http/fetch-transport.ts';
import type { Queue } from '../send/sender.ts';
import type { TextWriter } from '../wait/contents.ts';
import { registerSync } from './page/background-sync.ts';
import type { JournalPlace, Platform } from './platform.ts';

/** The fields of a place that a browser uses. */
type BrowserPlace = Pick<JournalPlace, 'clock' | 'part'> & {
  readonly settings: AccountNames & { readonly leaving?: 'at-least-once' | 'once' | undefined };
};

/** A page has few events, and a browser few connections to a host: HTTP/1.1 gets six. */
const REQUESTS = 4;

/** A page that is not left so long after it began to go somewhere has stayed. */
const INTENTION_MS = 10_000;

interface NextPage {
  readonly url: string | null;
}

interface Swap extends Event {
  readonly activation?: { readonly entry?: NextPage | null } | null;
}

interface Navigate extends Event {
  readonly destination: NextPage & { readonly sameDocument: boolean };
  readonly downloadRequest: string | null;
}

/** A device has one clock. */
const OFFSET = 'sluice clock';

const encoder = new TextEncoder();

const allocate = (bytes: number): Uint8Array => new Uint8Array(bytes);

const text: TextWriter = {
  write: (string, target, offset) => encoder.encodeInto(string, target.subarray(offset)).written,
  byteLength: (string) => encoder.encode(string).length,
  mostWrittenBytes: 512 * 1024,
  // No request says when it is done with its body.
  createMemory: () => ({ take: allocate, give: () => {} }),
};

const LOOPBACK = /\/\/(([^/]*\.)?localhost|127\.[\d.]+|\[::1])[:/]/;
/** Workers have no document. They are never hidden. */
const page = globalThis.document as (Document & { readonly prerendering?: boolean }) | undefined;
/** A page is warned once. What is no page needs no warning. */
let isWarned = !page;

const lifecycle: Lifecycle = {
  listen({ go: write, hide, show, online, offline }) {
    const stop = new AbortController();
    const on = (
      type: string,
      callback: (event: Event) => void,
      target: EventTarget | undefined = globalThis,
      capture: boolean = false,
      // Where there is no page, workerd refuses listeners that capture.
    ) => target.addEventListener?.(type, callback, { capture: capture && !!page, signal: stop.signal });
    /** When it was last known that the next page is of the same origin. */
    let followedAt = Number.NaN;
    const go = (isLeft: boolean) => {
      const isOffline = globalThis.navigator?.onLine === false;
      hide(isLeft, isOffline || (isLeft && performance.now() - followedAt < INTENTION_MS));
      if (isOffline) registerSync();
    };
    const leave = () => go(true);
    const follow = (next?: NextPage | null) => {
      followedAt = next?.url?.startsWith(`${location.origin}/`) ? performance.now() : Number.NaN;
    };
    // Chromium and WebKit tell where to, before the page is left. Firefox tells of the intention: it may end elsewhere.
    const isTold = 'onpageswap' in globalThis;
    if (isTold) on('pageswap', (event) => follow((event as Swap).activation?.entry));
    const { navigation } = globalThis as { readonly navigation?: EventTarget };
    const intend = (event: Event) => {
      const { destination, downloadRequest } = event as Navigate;
      if (destination.sameDocument || downloadRequest !== null) return;
      if (!isTold) follow(destination);
      // Firefox may end a script at any point once the page is left, and WebKit loses what is written then.
      write();
    };
    // A router may fire an event of that name on the window.
    if (navigation) on('navigate', intend, navigation);
    // Not on the document: the page's own listeners there run first, and the events that they track are sent too.
    on('visibilitychange', () => (isHidden() ? go(false) : show()));
    on('pagehide', leave);
    on('freeze', leave, page);
    const back = () => {
      follow();
      show();
    };
    // Before other listeners: what they track may no longer be this customer's.
    on('pageshow', back, globalThis, true);
    on('resume', back, page, true);
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

/** A queue that starts all work at once. A page needs no more than this, and p-queue would be a tenth of its bundle. */
function createQueue(): Queue {
  const running = new Set<Promise<void>>();
  return {
    get pending() {
      return running.size;
    },
    add(work) {
      const task = work().finally(() => running.delete(task));
      running.add(task);
      return task;
    },
    async onIdle() {
      while (running.size > 0) await Promise.allSettled(running);
    },
  };
}

export function createJournal({ settings, clock, part }: BrowserPlace): Journal | undefined {
  const name = databaseName(settings, part);
  const isOnce = settings.leaving === 'once';
  return hasIndexedDb() ? createIndexedDbJournal(name, meeting(), clock, isOnce) : undefined;
}

export const platform: Platform = {
  text,
  lifecycle,
  parts: { relay },
  holdsUnidentified: true,
  warnOfKey(baseUrl) {
    if (isWarned || LOOPBACK.test(baseUrl)) return;
    isWarned = true;
    console.warn('Sluice: the apiKey of a page is public; leave it to a relay');
  },
  redactor,
  commitIntervalMs: 250,
  // More at once would take a slow device too long for one task, and a slow network too long for the time-out.
  batchBytes: 128 * 1024,
  createJournal,
  createNote: ({ settings, clock }) =>
    hasIndexedDb() ? new IndexedDbNote(databaseName(settings, 'session'), meeting(), clock) : undefined,
  createConsent: ({ settings }, onChange) => createConsentStore(settings, onChange),
  offsetStore: { load: () => loadText(OFFSET), save: (text) => saveText(OFFSET, text) },
  exists: async () => true,
  createTransport: ({ delivery }) => new FetchTransport(delivery),
  createConcurrency(most) {
    const limit = Math.min(most, REQUESTS);
    return { limit, waitMs: ({ size }) => (size < limit ? 0 : Number.POSITIVE_INFINITY) };
  },
  createQueue,
  registerSync,
  createAbortController: () => new AbortController(),
  onAbort(signal, callback) {
    signal.addEventListener('abort', callback);
    return () => signal.removeEventListener('abort', callback);
  },
  writeNow: (commit) => commit.writeNow(),
};
