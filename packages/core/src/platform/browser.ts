import type { Clock } from '../base/clock.ts';
import { sha256 } from '../base/sha256.ts';
import type { Journal } from '../keep/journal.ts';
import type { Lifecycle } from '../keep/lifecycle.ts';
import { IndexedDbJournal } from '../keep/page/indexeddb-journal.ts';
import { IndexedDbNote } from '../keep/page/indexeddb-note.ts';
import { isHidden, type Meeting } from '../keep/page/tabs.ts';
import { FetchTransport } from '../send/http/fetch-transport.ts';
import type { TextWriter } from '../wait/ring-buffer.ts';
import { registerSync } from './background-sync.ts';
import type { JournalPlace, Platform } from './platform.ts';
import { RunningWork } from './running-work.ts';

/** As much of a place as counts here. */
type BrowserPlace = Pick<JournalPlace, 'account' | 'clock' | 'part'>;

const encoder = new TextEncoder();

const allocate = (bytes: number): Uint8Array => new Uint8Array(bytes);

const text: TextWriter = {
  allocate,
  // No request says when it is done with one.
  createBodies: () => ({ take: allocate, give: () => {} }),
  write: (string, target, offset) => encoder.encodeInto(string, target.subarray(offset)).written,
  byteLength: (string) => encoder.encode(string).length,
  // As much as a record of the journal takes.
  blockBytes: 48 * 1024,
  spareBytes: 32 * 1024,
  mostWrittenBytes: 512 * 1024,
};

export const clock: Clock = {
  now: () => Date.now(),
  setTimeout(callback, delayMs) {
    const timer = setTimeout(callback, delayMs);
    return { cancel: () => clearTimeout(timer) };
  },
};

/** Workers have no document: there is nothing to hide from. */
const page = globalThis.document as Document | undefined;

const lifecycle: Lifecycle = {
  listen({ hide, show, online, offline }) {
    const stop = new AbortController();
    const on = (target: EventTarget | undefined, types: readonly string[], callback: () => void) => {
      for (const type of types) target?.addEventListener?.(type, callback, { signal: stop.signal });
    };
    const go = (isLeft: boolean) => {
      hide(isLeft);
      if (globalThis.navigator?.onLine === false) registerSync();
    };
    const leave = () => go(true);
    // Not at the document, so that what the page itself does about it comes first, and what it tracks there is sent too.
    on(globalThis, ['visibilitychange'], () => (isHidden() ? go(false) : show()));
    on(globalThis, ['pagehide'], leave);
    on(page, ['freeze'], leave);
    on(globalThis, ['pageshow'], show);
    on(page, ['resume'], show);
    on(globalThis, ['online'], online);
    on(globalThis, ['offline'], offline);
    return () => stop.abort();
  },
  isHidden,
};

/** The journal of an account, which its hash names. Undefined where nothing can be stored. */
export function openJournal(hash: string, clock: Clock, part = ''): Journal | undefined {
  return hasIndexedDb() ? new IndexedDbJournal(nameOf(hash, part), meeting(), clock) : undefined;
}

export function createJournal({ account, clock, part }: BrowserPlace): Journal | undefined {
  return openJournal(sha256(account), clock, part);
}

export const platform: Platform = {
  text,
  clock,
  lifecycle,
  parts: {},
  holdsUnidentified: true,
  commitIntervalMs: 250,
  createJournal,
  createNote: ({ account, clock }) =>
    hasIndexedDb() ? new IndexedDbNote(nameOf(sha256(account), 'session'), clock) : undefined,
  exists: async () => true,
  createTransport: () => new FetchTransport(),
  createQueue: () => new RunningWork(),
  registerSync,
  createAbortController: () => new AbortController(),
  onAbort(signal, callback) {
    signal.addEventListener('abort', callback);
    return () => signal.removeEventListener('abort', callback);
  },
  writeNow: (lanes) => void lanes.writeAll(),
};

/** Older browsers lack the one, the other, or both. */
function meeting(): Meeting {
  const { BroadcastChannel, navigator } = globalThis;
  return {
    locks: navigator?.locks,
    createChannel: BroadcastChannel && ((name) => new BroadcastChannel(name)),
  };
}

/** Tells the accounts of one origin apart, and keeps the key out of the name of a database. */
function nameOf(hash: string, part: string): string {
  return `sluice${part && ` ${part}`} ${hash}`;
}

/** Some browsers hide it where nothing may be stored, some throw. */
function hasIndexedDb(): boolean {
  try {
    return Boolean(globalThis.indexedDB);
  } catch {
    return false;
  }
}
