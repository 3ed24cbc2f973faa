// The page of a site that tracks. It sends messages to the harness, and the harness calls the functions of `page`.

import { guards } from '@sluice/core/guards';
import { createTracker } from '@sluice/core/testing';
import { Bookkeeping } from '../../processes/bookkeeping.ts';
import { NumberedEvents } from '../../processes/numbered-events.ts';
import { createRandom } from '../../random.ts';
import { NetworkWatch } from './network-watch.ts';
import { PageClock, ShiftedClock } from './page-clock.ts';
import { type PageSettings, type PageTold, TELL } from './page-settings.ts';
import { FILLER, fillQuota } from './quota-filler.ts';
import { StorageWatch } from './storage-watch.ts';

/** Speed of the fast clock. Not so fast that a busy browser seems not to answer. */
const FAST = 3;
const TICK_MS = 10;
const EVENTS_PER_SECOND = 500;
const MOST_AT_START = 100;
const HOUR_MS = 60 * 60_000;

const settings: PageSettings = JSON.parse(new URL(location.href).searchParams.get('settings') ?? '');
const [life = 0] = crypto.getRandomValues(new Uint32Array(1));
const random = createRandom(settings.seed + life);
const network = new NetworkWatch(life);
const storage = new StorageWatch();
const virtual = new PageClock(() => network.underWay + storage.underWay > 0);
const jumping = new ShiftedClock(1, settings.startedAt, settings.offsetMs);
const clock = { real: undefined, fast: new ShiftedClock(FAST, settings.startedAt, 0), virtual, jumping }[
  settings.clock
];

const tracker = createTracker({
  logger: false,
  ...{ baseUrl: settings.baseUrl, apiKey: settings.apiKey, correlationKey: 'email', clock },
  parts: { guards },
  batch: { maxEvents: 100, maxWaitMs: 100 },
  // Short retry waits, so that a run takes only minutes. The virtual clock keeps the default waits.
  ...(settings.clock !== 'virtual' && { delivery: { retryBaseMs: 20, retryMaxMs: 500 } }),
});
const books = new Bookkeeping(tracker);
const events = new NumberedEvents(tracker, life, random);
let durable = 0;
/** How many events were tracked when it was hidden: then it sends what is not written yet, the newest too. */
let hiddenWith = 0;
/** How often the page came back from the back/forward cache. */
let returns = 0;
let told = '';
let load: ReturnType<typeof setInterval> | undefined;

const problem = (what: string) => tell({ type: 'problem', life, what });
tracker.on('dropped', ({ reason, count }) => tell({ type: 'dropped', life, reason, count }));
tracker.on('deadLettered', ({ status }) => problem(`an event became a dead letter: ${status}`));
tracker.on('invalid', ({ error }) => problem(error.message));
tracker.on('storageFailed', ({ error }) => tell({ type: 'storageFailed', life, what: error.message }));
addEventListener('error', ({ message }) => problem(message));
addEventListener('unhandledrejection', ({ reason }) => problem(`nobody handled ${reason}`));
addEventListener('visibilitychange', () => {
  if (document.hidden) hiddenWith = events.tracked;
});
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) returns += 1;
});

/** The functions that the harness can call. */
const page = {
  /** Tracks this many events, in one task. */
  track(count: number): void {
    events.track(count);
    tellBooks();
  },
  /** Starts or stops continuous tracking. A background tab tracks as many events in fewer steps: its timers are late. */
  setBusy(isBusy: boolean): void {
    clearInterval(load);
    if (!isBusy) return;
    page.track(random(MOST_AT_START));
    let before = performance.now();
    load = setInterval(() => {
      const due = Math.floor(((performance.now() - before) / 1_000) * EVENTS_PER_SECOND);
      before += (due / EVENTS_PER_SECOND) * 1_000;
      page.track(due);
    }, TICK_MS);
  },
  /** Waits until all events tracked so far are durable. Resolves to their number. */
  async commit(): Promise<number> {
    const { tracked } = events;
    await tracker.durable();
    durable = Math.max(durable, tracked);
    tellBooks();
    return tracked;
  },
  /** Tracks events, and leaves for another page in the same task. */
  trackAndLeave(count: number, address: string): void {
    events.track(count);
    tellBooks();
    location.href = address;
  },
  /** The current state of the page. */
  look(): PageView {
    books.check('when asked');
    for (const what of books.problems.splice(0)) problem(what);
    tellBooks();
    const { pending, journal, dropped, delivered, pause } = tracker.stats();
    const lost = Object.values(dropped).reduce((sum, count) => sum + count, 0);
    const { tracked } = events;
    return {
      ...{ life, tracked, durable, pending, journal, delivered, dropped: lost, returns },
      ...{ requests: network.made, pauseMs: (pause?.until ?? 0) - Date.now(), isOnline: navigator.onLine },
    };
  },
  /** Advances the page's clock by this many hours, and tracks some events in each part of an hour. */
  async live(hours: number, perPart: number, parts: number): Promise<void> {
    for (let part = 0; part < hours * parts; part += 1) {
      page.track(perPart);
      await virtual.advance(HOUR_MS / parts);
    }
  },
  advance: (ms: number): Promise<void> => virtual.advance(ms),
  jump(offsetMs: number): void {
    jumping.offsetMs = offsetMs;
  },
  /** Resolves once the site's service worker controls this page. */
  async startWorker(): Promise<void> {
    await navigator.serviceWorker.register(`/worker.js${location.search}`);
    while (navigator.serviceWorker.controller === null)
      await new Promise((resolve) => setTimeout(resolve, TICK_MS));
  },
  closeConnections: (isTold: boolean): void => storage.closeAll(isTold),
  /** As another script of the site could do. */
  async deleteDatabases(): Promise<void> {
    for (const { name } of await indexedDB.databases()) if (name !== undefined) await deleteDatabase(name);
  },
  /** Stores as much as possible, as another script of the site could do: until even the smallest record is refused. */
  fillStorage: (quotaBytes: number): Promise<void> => fillQuota(quotaBytes),
  emptyStorage: (): Promise<void> => deleteDatabase(FILLER),
};

export type Page = typeof page;

export interface PageView {
  readonly life: number;
  readonly tracked: number;
  readonly durable: number;
  readonly pending: number;
  readonly journal: string;
  readonly delivered: number;
  readonly dropped: number;
  readonly returns: number;
  readonly requests: number;
  /** How long it makes no request, because the service is away. */
  readonly pauseMs: number;
  readonly isOnline: boolean;
}

Reflect.set(globalThis, 'page', page);
tell({ type: 'started', life });
setInterval(tellBooks, TICK_MS);
page.setBusy(settings.isBusy);

/** Events are written in the order in which they were tracked. So the unwritten ones are the newest, but for what was sent unwritten. */
function tellBooks(): void {
  const { unwritten, journal } = tracker.stats();
  const { tracked } = events;
  const written = tracked - unwritten;
  if (journal !== 'memory' && written >= hiddenWith) durable = Math.max(durable, written);
  const now = `${tracked} ${durable}`;
  if (now !== told) tell({ type: 'books', life, tracked, durable });
  told = now;
}

function tell(message: PageTold): void {
  const toHarness: unknown = Reflect.get(globalThis, TELL);
  if (typeof toHarness === 'function') toHarness(JSON.stringify(message));
}

function deleteDatabase(name: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.deleteDatabase(name);
    request.onsuccess = () => resolve();
    request.onerror = () => reject(request.error);
  });
}
