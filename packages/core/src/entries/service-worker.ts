import { endpoint } from '@sluice/protocol';
import {
  BATCH_HEAD_LENGTH,
  BATCH_OVERHEAD_BYTES,
  encloseBatch,
  readBaseUrl,
  systemClock,
} from '@sluice/protocol/toolbox';
import { outside } from '../base/range.ts';
import { DENIED, IndexedDbStore } from '../keep/page/indexeddb-store.ts';
import { databaseName, hasIndexedDb, meeting } from '../keep/page/origin.ts';
import {
  ALIVE,
  type EventKey,
  isOurs,
  isPiece,
  keysOf,
  LEASE,
  type PauseKey,
  readKeys,
  SENT,
} from '../keep/page/page-record.ts';
import { storedLock } from '../keep/page/stored-lock.ts';
import { createTabs } from '../keep/page/tabs.ts';
import type { Piece } from '../keep/record-list.ts';
import type { DestinationOptions } from '../parts/destination.ts';
import type { RelayWithJwt } from '../parts/relay/relay.ts';
import type { DrainTarget, RelayDrainPart } from '../parts/relay/relay-drain.ts';
import { missingPart, type Parts } from '../parts.ts';
import { SYNC_TAG } from '../platform/page/background-sync.ts';
import { FetchTransport } from '../send/http/fetch-transport.ts';
import { isIntercepted } from '../send/http/interception.ts';
import type { Credentials, Timeouts } from '../send/http/transport.ts';
import { SERVICE } from '../send/requests.ts';

const TIMEOUTS: Timeouts = { connectMs: 10_000, headersMs: 30_000, bodyMs: 10_000, totalMs: 30_000 };
/** How long a page is told what was sent: it may find the same events in localStorage. */
const TOLD_MS = 30 * 24 * 3_600_000;
/** Answers that find fault with events or their size. A page handles these events; the worker goes on with others. */
const REFUSALS = new Set([400, 409, 413, 422]);

/** The same values as for the trackers of the pages: they name the journal that pages and worker share. */
export interface DrainOptions {
  /** Left out with a `relay`. */
  readonly baseUrl?: string | undefined;
  /** As the option `relay` of the trackers. It needs the part `relayDrain`. */
  readonly relay?: string | RelayWithJwt | undefined;
  readonly correlationKey: string;
  /** Left out if a relay holds it. */
  readonly apiKey?: string | undefined;
  /** As the option `account` of the trackers. */
  readonly account?: string | undefined;
  /** More headers, as `delivery.headers`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Which requests carry cookies, as `delivery.credentials`. */
  readonly credentials?: Credentials | undefined;
  /** As the option `leaving` of the trackers. */
  readonly leaving?: 'at-least-once' | 'once' | undefined;
  /** As the option `destination` of the trackers. */
  readonly destination?: DestinationOptions | undefined;
  readonly parts?:
    | (Pick<Parts, 'destination'> & { readonly relayDrain?: RelayDrainPart | undefined })
    | undefined;
}

interface SyncEvent extends Event {
  readonly tag: string;
  waitUntil(work: Promise<void>): void;
}

/**
 * For the script of a service worker: sends the events that pages left as soon as there is a network, even if no page is open.
 * Pages ask the browser for this themselves if it has Background Sync; in other browsers nothing happens.
 *
 * @throws A ConfigError if `baseUrl` is wrong, or if a part is missing.
 * @example drainOnSync({ relay: '/s', correlationKey: 'email', parts: { relayDrain } });
 */
export function drainOnSync(options: DrainOptions): void {
  targetOf(options);
  addEventListener('sync', (event) => {
    const { tag } = event as SyncEvent;
    if (tag === SYNC_TAG) (event as SyncEvent).waitUntil(drain(options));
  });
}

/**
 * Sends the events that pages of this origin left in their journal, while no page sends. Resolves once all are sent, except for
 * those that the service refuses: these are left to a page. Call it to send at a moment of your own; `drainOnSync()` calls it.
 *
 * @throws Rejects with a ConfigError as `drainOnSync()` throws it, and with an Error if the service cannot be reached or accepts nothing now,
 * or if a page may still send some of the events itself.
 * @example event.waitUntil(drain({ relay: '/s', correlationKey: 'email', parts: { relayDrain } }));
 */
export async function drain(options: DrainOptions): Promise<void> {
  const { apiKey, leaving } = options;
  const to = targetOf(options);
  if (!hasIndexedDb()) return;
  const name = databaseName({ ...options, ...to });
  const store = new IndexedDbStore(name, systemClock, () => {});
  let isHeld = false;
  const tabs = createTabs(name, meeting(), systemClock, store, {
    onMessage: ([, activity]) => {
      isHeld ||= activity === 'waits';
    },
  });
  // Pages in which Web Locks do not work use it instead.
  const stored = storedLock(store, systemClock);
  const transport = new FetchTransport(options);
  const { signal } = new AbortController();
  /**
   * Sends one record. Resolves to false if the service refuses the events, or if there are none. Rejects if the service cannot be
   * reached or accepts nothing now.
   */
  const post = async (events: Piece | undefined): Promise<boolean> => {
    if (events === undefined) return false;
    const { length } = events.bytes;
    const memory = new Uint8Array(length + BATCH_OVERHEAD_BYTES);
    memory.set(events.bytes, BATCH_HEAD_LENGTH);
    const body = await to.body({ events, body: encloseBatch(memory, length) });
    if (!body) return false;
    const outcome = await transport.post({
      url: endpoint(to.baseUrl, to.path),
      headers: { ...options.headers, ...to.headers(apiKey) },
      body,
      timeouts: TIMEOUTS,
      signal,
    });
    if (outcome.kind === 'failed' || isIntercepted(outcome)) throw new Error('the service answered nothing');
    const { body: answer, status } = outcome;
    const isAccepted = status >= 200 && status < 300;
    if (isAccepted || REFUSALS.has(status)) return isAccepted && to.takesAll?.(answer) !== false;
    throw new Error(`the service answered ${status}`);
  };
  const work = async (lock: object | null) => {
    if (lock === null) throw new Error('a page works');
    const { result } = await store.use('readonly', (objects) => objects.getAllKeys());
    if (result.includes(DENIED)) return;
    const now = systemClock.now();
    const { pauses, records } = readKeys(result, now);
    for (const pause of pauses) {
      const [until, failures, forMs] = pause;
      if (until <= now) continue;
      // The clock was set back since: the pause is not longer than it was.
      const shorter: PauseKey = [now + forMs, failures, forMs];
      if (until > now + forMs) await store.use('readwrite', (objects) => replace(objects, pause, shorter));
      throw new Error('requests are paused');
    }
    const old = result.filter((key) => isOurs(key) && key[6] === SENT && Number(key[4]) < now - TOLD_MS);
    if (old.length > 0)
      await store.use('readwrite', (objects) => {
        for (const key of old) objects.delete(key);
      });
    for (const { key, leases } of records) {
      const [id, from, to] = key;
      const isLeased = leases.some(({ isRunning }) => isRunning);
      isHeld ||= isLeased;
      const taken = leases.filter(({ wasAlive }) => wasAlive >= (leaving === 'once' ? ALIVE : SENT));
      const isTaken = outside([{ from, to }], taken).length === 0;
      if (isLeased || !(isTaken || (await post(await read(store, key))))) continue;
      const keys = keysOf({ life: { id }, from, to });
      await store.use('readwrite', (objects) => {
        objects.delete(keys);
        // The next page may find the events in localStorage, which a worker cannot read.
        objects.put(LEASE, [id, from, to, LEASE, now, 0, SENT]);
      });
      tabs.tell([id, from, to, 'delivered']);
    }
    // Some events are in the last request of a page, or a page has just stored more. It may be gone, or may send them itself.
    if (isHeld) throw new Error('a page may still see an answer');
  };
  tabs.open();
  try {
    await tabs.hold(() => stored.request(name, { ifAvailable: true }, work));
  } finally {
    tabs.close();
    store.close();
  }
}

function targetOf({ apiKey, baseUrl, destination, parts, relay }: DrainOptions): DrainTarget {
  if (relay) return (parts?.relayDrain ?? missingPart('relay', 'relayDrain'))(relay);
  const to = destination
    ? (parts?.destination ?? missingPart('destination', 'destination'))(destination, apiKey, () => {})
    : SERVICE;
  return { ...to, baseUrl: readBaseUrl('baseUrl', baseUrl, apiKey) };
}

/** Stores a pause in place of another one. */
function replace(objects: IDBObjectStore, before: IDBValidKey, after: PauseKey): void {
  objects.delete(before);
  objects.put(0, after);
}

/** The events of a stored record; undefined if it is gone, or damaged: a page drops it then. */
async function read(store: IndexedDbStore, key: EventKey): Promise<Piece | undefined> {
  const ask = (objects: IDBObjectStore): IDBRequest<unknown> => objects.get(key);
  const { result } = await store.use('readonly', ask);
  return isPiece(result) ? result : undefined;
}
