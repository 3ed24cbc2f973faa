import { setMaxListeners } from 'node:events';
import type { TestOptions } from '../../src/entries/testing/testing.ts';
import { VirtualClock } from '../../src/entries/testing/virtual-clock.ts';
import type { Tracker } from '../../src/index.ts';
import { databaseName } from '../../src/keep/account.ts';
import { PARCELS } from '../../src/page/keep/parcel.ts';
import * as pageParts from '../../src/page/parts/engine-parts.ts';
import type { Meeting } from '../../src/page/store/origin.ts';
import { createWith, defaults } from '../../src/page/tracker.ts';
import { allParts } from '../../src/platform/all-parts.ts';
import type { Outcome, Transport, TransportRequest } from '../../src/send/http/transport.ts';
import { FakeLocks } from './fake-locks.ts';
import { idleStorage, turns } from './idle-storage.ts';
import { answered } from './scripted-transport.ts';

// A page registers all its listeners with one signal. Browsers do not count them, as Node does.
setMaxListeners(50);

/** The fields of an event that a test reads. */
interface Seen {
  readonly uuid: string;
  readonly event: string;
}

/** Where its pages send. */
interface Service {
  readonly baseUrl?: string;
  readonly relay?: string | { readonly url: string };
}

/** Pages of one origin on one database, each with a tracker. A test moves the time for all of them. */
export class FakeOrigin {
  readonly clock: VirtualClock = new VirtualClock();
  /** The error of the time of day, for all pages. */
  skewMs = 0;
  readonly locks: FakeLocks = new FakeLocks();
  readonly channels = new Set<FakeChannel>();
  readonly tabs: FakeTab[] = [];
  /** Whether a message is lost, as when a page is frozen or in the back/forward cache. */
  losesMessage: () => boolean = () => false;
  /** When each request was made, in milliseconds since the start. */
  readonly times: number[] = [];
  /** How often the service took each event. */
  readonly received = new Map<string, number>();
  /** How many bytes of requests may outlive a page. */
  room = 0;
  /** Events that it refused in a request of their own. */
  readonly refused = new Set<string>();
  /** Events that were stored. */
  readonly committed = new Set<string>();
  /** Pending requests, and the most that were ever pending at once. */
  open = 0;
  mostOpen = 0;
  /** What tells the trackers of its pages where to send. */
  service: object = { baseUrl: 'http://service.test', apiKey: 'key' };
  /** The service: returns its answer to a request. */
  respond: (events: readonly Seen[], request: TransportRequest) => Outcome | Promise<Outcome> = () =>
    answered(200);
  readonly name: string = `origin-${Math.random().toString(36).slice(2)}`;
  /** The parts of its trackers: all. Node would give them those of its own engine. */
  parts: object = Object.assign({}, allParts, pageParts);
  /** Whom each page identifies as it opens. */
  customer: string | undefined = 'ada@example.com';
  readonly #start = this.clock.now();

  /** The database of its events. */
  get database(): string {
    const { baseUrl = '', relay = baseUrl } = this.service as Service;
    const { href, origin } = new URL(typeof relay === 'string' ? relay : relay.url);
    const path = relay === baseUrl ? '' : href.slice(origin.length);
    const account = { baseUrl: `${origin}/`, correlationKey: 'email', account: this.name };
    return databaseName({ ...account, destination: { path } }, PARCELS);
  }

  async post(request: TransportRequest): Promise<{ outcome: Outcome; uuids: string[] }> {
    const { batch } = JSON.parse(new TextDecoder().decode(request.body)) as { batch: Seen[] };
    this.times.push(this.clock.now() - this.#start);
    this.open += 1;
    this.mostOpen = Math.max(this.mostOpen, this.open);
    const outcome = await this.respond(batch, request);
    const uuids = batch.map(({ uuid }) => uuid);
    const status = outcome.kind === 'answered' ? outcome.status : 0;
    if (status === 200) for (const uuid of uuids) this.received.set(uuid, (this.received.get(uuid) ?? 0) + 1);
    if (status === 400 && uuids.length === 1) for (const uuid of uuids) this.refused.add(uuid);
    await turns(3);
    this.open -= 1;
    return { outcome, uuids };
  }

  /** @param locks Its Web Locks, or whether it has any. */
  openTab(
    options: Partial<TestOptions> = {},
    locks: Meeting['locks'] | boolean = true,
    leaving?: TestOptions['leaving'],
  ): FakeTab {
    const tab = new FakeTab(this, options, locks, leaving);
    this.tabs.push(tab);
    return tab;
  }

  /** Lets time pass, and the work that begins in it finish. */
  async pass(ms: number, step: number = Math.max(1, ms / 20)): Promise<void> {
    await idleStorage();
    for (let passed = 0; passed < ms; passed += step) {
      await this.clock.advance(Math.min(step, ms - passed));
      await idleStorage();
    }
  }

  /** Resolves to the value once this time has passed. */
  after<Value>(ms: number, value: Value): Promise<Value> {
    return new Promise((resolve) => void this.clock.setTimeout(() => resolve(value), ms));
  }

  async close(): Promise<void> {
    for (const tab of this.tabs) if (tab.isAlive) await tab.close();
  }
}

/** One page. */
export class FakeTab {
  readonly tracker: Tracker;
  /** Its window, as far as a tracker listens to it. */
  readonly view: EventTarget = new EventTarget();
  isAlive = true;
  /** Events of its last request that the service may have taken, and that it may not have released yet. */
  uncertain: readonly string[] = [];
  readonly #origin: FakeOrigin;
  readonly #locks: FakeLocks;
  #channel: FakeChannel | undefined;

  constructor(
    origin: FakeOrigin,
    options: Partial<TestOptions>,
    locks: Meeting['locks'] | boolean,
    leaving: TestOptions['leaving'],
  ) {
    this.#origin = origin;
    this.#locks = new FakeLocks(origin.locks);
    const { clock } = origin;
    const mortal = {
      now: () => clock.now() + origin.skewMs,
      setTimeout: (callback: () => void, delayMs: number) =>
        clock.setTimeout(() => {
          if (this.isAlive) callback();
        }, delayMs),
    };
    const transport: Transport = {
      post: (request) => this.#post(request),
      room: () => origin.room,
      close: async () => {},
    };
    const meeting = {
      locks: locks === true ? this.#locks : locks || undefined,
      channel: (name: string) => {
        this.#channel = new FakeChannel(origin, name);
        return this.#channel as unknown as BroadcastChannel;
      },
    };
    stored.set(origin.database, origin.committed);
    const { random, ...others } = options;
    const given = {
      ...(origin.service as { readonly baseUrl: string }),
      ...{ correlationKey: 'email', account: origin.name, transport, batch: { maxWaitMs: 100 } },
      ...{ delivery: { maxConcurrency: 1 }, leaving, ...others },
    };
    const { addEventListener } = globalThis;
    globalThis.addEventListener = this.view.addEventListener.bind(this.view) as typeof addEventListener;
    this.tracker = createWith(given, { ...defaults, parts: origin.parts, clock: mortal, random }, meeting);
    globalThis.addEventListener = addEventListener;
    if (origin.customer !== undefined) this.tracker.identify(origin.customer);
  }

  track(count: number, name = 'event'): void {
    for (let number = 0; number < count; number += 1) this.tracker.track(name, { number });
  }

  /** The difference in its stats. Must be 0. */
  get imbalance(): number {
    const { accepted, recovered, delivered, deadLettered, dropped, pending } = this.tracker.stats();
    const lost = Object.values(dropped).reduce((sum, count) => sum + count, 0);
    return accepted + recovered - delivered - deadLettered - lost - pending;
  }

  /** Ends the page like one that hangs or crashes: none of its code runs any more. */
  kill(): void {
    this.isAlive = false;
    this.#channel?.close();
    this.#locks.letGo();
  }

  async close(): Promise<void> {
    let isOver = false;
    const closing = this.tracker.close({ timeoutMs: 0 }).then(() => {
      isOver = true;
    });
    await this.#origin.pass(10);
    // It waits for requests that do not end.
    while (!isOver) await this.#origin.pass(1_000, 1_000);
    await closing;
    this.isAlive = false;
  }

  async #post(request: TransportRequest): Promise<Outcome> {
    if (!this.isAlive) return new Promise(() => {});
    const { batch } = JSON.parse(new TextDecoder().decode(request.body)) as { batch: Seen[] };
    this.uncertain = batch.map(({ uuid }) => uuid);
    const { outcome } = await this.#origin.post(request);
    if (!this.isAlive) return new Promise(() => {});
    if (outcome.kind === 'answered' && outcome.status !== 200) this.uncertain = [];
    return outcome;
  }
}

/** A BroadcastChannel of one origin. */
export class FakeChannel {
  onmessage: ((event: { data: unknown }) => void) | undefined;
  readonly #origin: Pick<FakeOrigin, 'channels' | 'losesMessage'>;
  readonly name: string;

  constructor(origin: Pick<FakeOrigin, 'channels' | 'losesMessage'>, name: string) {
    this.#origin = origin;
    this.name = name;
    origin.channels.add(this);
  }

  postMessage(message: unknown): void {
    const { channels } = this.#origin;
    if (!channels.has(this)) return;
    for (const channel of channels) {
      if (channel === this || channel.name !== this.name || this.#origin.losesMessage()) continue;
      const data = structuredClone(message);
      setImmediate(() => {
        if (channels.has(channel)) channel.onmessage?.({ data });
      });
    }
  }

  close(): void {
    this.#origin.channels.delete(this);
  }
}

/** By database, the events that are in records. */
const stored = new Map<string, Set<string>>();
const { put } = IDBObjectStore.prototype;
IDBObjectStore.prototype.put = function (value, key) {
  const committed = stored.get(this.transaction.db.name);
  if (committed && Array.isArray(value))
    this.transaction.addEventListener('complete', () => {
      for (const text of value) committed.add(JSON.parse(text).uuid);
    });
  return put.call(this, value, key);
};
