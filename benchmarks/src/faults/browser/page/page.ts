// The page of a site that tracks. Its harness reads what it tells, and calls what stands in `page`.
import { createTracker } from '@sluice/core';
import { guards } from '@sluice/core/guards';
import { Bookkeeping } from '../../processes/bookkeeping.ts';
import { NumberedEvents } from '../../processes/numbered-events.ts';
import { createRandom } from '../../random.ts';
import { NetworkWatch } from './network-watch.ts';
import { PageClock, ShiftedClock } from './page-clock.ts';
import { type PageSettings, type PageTold, TELL } from './page-settings.ts';
import { FILLER, fillQuota } from './quota-filler.ts';
import { StorageWatch } from './storage-watch.ts';

/** How fast the fast clock is. */
const FAST = 5;
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
  ...{ baseUrl: settings.baseUrl, apiKey: settings.apiKey, correlationKey: 'email', clock },
  parts: { guards },
  batch: { maxEvents: 100, maxWaitMs: 100 },
  // A fault that passes is over soon, so that a run fits into minutes; a day is a day.
  ...(settings.clock !== 'virtual' && { delivery: { retryBaseMs: 20, retryMaxMs: 500 } }),
});
const books = new Bookkeeping(tracker);
const events = new NumberedEvents(tracker, life, random);
let durable = 0;
/** How often it came back from the back/forward cache. */
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
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) returns += 1;
});

/** What a harness can call. */
const page = {
  /** Tracks so many events, in one task. */
  track(count: number): void {
    events.track(count);
    tellBooks();
  },
  /** Tracks all the time, or stops that. A tab in the background tracks as much, in fewer steps: its timers come late. */
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
  /** Resolves to how many events were tracked before, once all of them are durable. */
  async commit(): Promise<number> {
    const { tracked } = events;
    await tracker.durable();
    durable = Math.max(durable, tracked);
    tellBooks();
    return tracked;
  },
  /** Tracks, and leaves for another page in the same task. */
  trackAndLeave(count: number, address: string): void {
    events.track(count);
    tellBooks();
    location.href = address;
  },
  /** What the page knows now. */
  look(): PageView {
    books.check('when asked');
    for (const what of books.problems.splice(0)) problem(what);
    tellBooks();
    const { pending, journal, dropped, delivered } = tracker.stats();
    const lost = Object.values(dropped).reduce((sum, count) => sum + count, 0);
    const { tracked } = events;
    return {
      ...{ life, tracked, durable, pending, journal, delivered, dropped: lost, returns },
      ...{ requests: network.made, isOnline: navigator.onLine },
    };
  },
  /** Lets so many hours pass on the page's clock, with some events in each part of an hour. */
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
  /** Resolves once the site's service worker is in charge of this page. */
  async startWorker(): Promise<void> {
    await navigator.serviceWorker.register(`/worker.js${location.search}`);
    while (navigator.serviceWorker.controller === null)
      await new Promise((resolve) => setTimeout(resolve, TICK_MS));
  },
  closeConnections: (isTold: boolean): void => storage.closeAll(isTold),
  /** As another script of the site would. */
  async deleteDatabases(): Promise<void> {
    for (const { name } of await indexedDB.databases()) if (name !== undefined) await deleteDatabase(name);
  },
  /** Another script of the site stores all it can: until it is refused a record of any size. */
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
  readonly isOnline: boolean;
}

Reflect.set(globalThis, 'page', page);
tell({ type: 'started', life });
setInterval(tellBooks, TICK_MS);
page.setBusy(settings.isBusy);

/** Events are written in the order in which they were tracked: what is not written yet are the newest. */
function tellBooks(): void {
  const { unwritten, journal } = tracker.stats();
  if (journal !== 'memory') durable = Math.max(durable, events.tracked - unwritten);
  const { tracked } = events;
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
