import { endpoint, joinEvents } from '@sluice/protocol';
import { inTime, readBaseUrl, systemClock } from '@sluice/protocol/toolbox';
import { databaseName } from '../keep/account.ts';
import type { RelayWithJwt } from '../options/options.ts';
import type { DestinationOptions } from '../parts/destination.ts';
import { missingPart, type Parts } from '../parts.ts';
import { type Credentials, isIntercepted } from '../send/http/transport.ts';
import { SERVICE } from '../send/requests.ts';
import { SYNC_TAG } from './background-sync.ts';
import {
  idOf,
  isTexts,
  PARCELS,
  type ParcelKey,
  rangeOf,
  rangeOfPauses,
  readKeys,
  SENT,
} from './keep/parcel.ts';
import type { Message } from './keep/tabs.ts';
import type { DrainTarget, RelayDrainPart } from './relay-drain.ts';
import { read } from './send/fetch.ts';
import { DENIED, openStore } from './store/indexeddb-store.ts';
import { hasIndexedDb, meeting } from './store/origin.ts';
import { storedLock } from './store/stored-lock.ts';

const TIMEOUT_MS = 30_000;
/** Of a request. To a relay, a parcel goes alone: it has the events of one customer. */
const MOST_BYTES = 128 * 1024;
/** How long pages are told what was sent. */
const TOLD_MS = 30 * 24 * 3_600_000;
/** Answers that find fault with events or their size. A page handles these events; the worker goes on with others. */
const REFUSALS = /^(400|409|413|422)$/;
const encoder = new TextEncoder();

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
 * Sends the events that pages of this origin left in their database, while no page sends. Resolves once all are sent, except for
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
  const name = databaseName({ ...options, ...to }, PARCELS);
  const most = options.relay ? 0 : MOST_BYTES;
  const store = openStore(name, systemClock, () => {});
  const lock = storedLock(store, systemClock);
  const { channel: create, locks } = meeting();
  const channel = create?.(name);
  let isHeld = false;
  /** What pages have, or had, in requests since this began. */
  const out = new Set<string>();
  if (channel)
    channel.onmessage = ({ data }: MessageEvent<Message>) => {
      if (data[0] === 'out') for (const id of data[1]) out.add(id);
      isHeld ||= data[0] === 'waits' || data[0] === 'out';
    };

  /**
   * Sends parcels in one request. Resolves to false if the service refuses an event, or if a parcel is none. Rejects if the service
   * cannot be reached or accepts nothing now.
   */
  async function post(keys: readonly ParcelKey[]): Promise<boolean> {
    const requests = await store.use('readonly', (objects) =>
      keys.map(([page, number]): IDBRequest<unknown> => objects.get(rangeOf({ page, number }))),
    );
    const texts: string[] = [];
    for (const [index, { result }] of requests.entries()) {
      // A page drops it.
      if (!isTexts(result, keys[index]?.[2] ?? 0)) return false;
      texts.push(...result);
    }
    const encode = (text: string) => encoder.encode(text);
    const isLate = () => new Error('the service did not answer');
    const made = Promise.resolve(to.body({ body: encode(joinEvents(texts)), texts: texts.map(encode) }));
    // A relay gives a ticket first. Pages wait meanwhile.
    const body = await inTime(systemClock, made, TIMEOUT_MS, isLate);
    if (!body) return false;
    const url = endpoint(to.baseUrl, to.path);
    const ask = async () => {
      const answer = await fetch(url, {
        ...{ method: 'POST', redirect: 'manual', referrerPolicy: 'no-referrer' },
        body: body as Uint8Array<ArrayBuffer>,
        credentials: options.credentials ?? 'omit',
        headers: { ...options.headers, ...to.headers(apiKey) },
      });
      return [answer, await read(answer)] as const;
    };
    const [answer, text] = await inTime(systemClock, ask(), TIMEOUT_MS, isLate);
    const { ok, status } = answer;
    const from = (answer.url || url).startsWith(url) ? undefined : answer.url;
    // A redirect, or a page of somebody else.
    if (status === 0 || isIntercepted({ body: text, from })) throw new Error('the service answered nothing');
    if (ok) return to.takesAll?.(text) !== false;
    if (REFUSALS.test(`${status}`)) return false;
    throw new Error(`the service answered ${status}`);
  }

  /** Sends parcels together, or each alone if something is wrong with one. Leaves that one to a page. */
  async function deliver(all: readonly ParcelKey[]): Promise<void> {
    const keys = all.filter((key) => !out.has(idOf(key)));
    if (keys.length === 0) return;
    // A page that is left now must not send them too.
    tell(keys, TIMEOUT_MS);
    try {
      if (await post(keys)) return await release(keys);
    } finally {
      tell(keys, 0);
    }
    if (keys.length > 1) for (const key of keys) await deliver([key]);
  }

  function tell(keys: readonly ParcelKey[], forMs: number): void {
    channel?.postMessage(['out', keys.map(idOf), systemClock.now() + forMs] satisfies Message);
  }

  async function release(keys: readonly ParcelKey[]): Promise<void> {
    await store.use('readwrite', (objects) => {
      for (const [page, number] of keys) {
        objects.delete(rangeOf({ page, number }));
        // The next page may find the events in localStorage, which a worker cannot read.
        objects.put(0, [page, number, systemClock.now(), TOLD_MS, SENT]);
      }
    });
    for (const key of keys) channel?.postMessage(['ended', idOf(key), 'delivered'] satisfies Message);
  }

  async function work(held: object | null): Promise<void> {
    if (held === null) throw new Error('a page works');
    const { result } = await store.use('readonly', (objects) => objects.getAllKeys());
    if (result.includes(DENIED)) return;
    const now = systemClock.now();
    const { stored, over, pause } = readKeys(result, now);
    if (pause && pause[0] > now) {
      // Where the clock was set back it is not longer than it was.
      await store.use('readwrite', (objects) => {
        objects.delete(rangeOfPauses());
        objects.put(0, [pause[0], pause[1], pause[0] - now]);
      });
      throw new Error('requests are paused');
    }
    let next: ParcelKey[] = [];
    let room = 0;
    for (const { key, until = 0, answered = 0 } of stored.values()) {
      const [, , , bytes, , session] = key;
      if (session) continue;
      isHeld ||= until > 0;
      if (until > 0) continue;
      if (answered >= (leaving === 'once' ? 1 : SENT)) {
        await release([key]);
        continue;
      }
      room -= bytes;
      if (room < 0) {
        await deliver(next);
        next = [];
        room = most - bytes;
      }
      next.push(key);
    }
    await deliver(next);
    await store.use('readwrite', (objects) => {
      for (const key of over) objects.delete(key);
    });
    // Some events are in the last request of a page, or a page has just stored more. It may be gone, or may send them itself.
    if (isHeld) throw new Error('a page may still see an answer');
  }

  // Pages in which Web Locks do not work use the other one.
  const alone = () => lock.request(name, { ifAvailable: true }, work);
  try {
    await (locks ? locks.request(name, {}, alone) : alone());
  } finally {
    channel?.close();
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
