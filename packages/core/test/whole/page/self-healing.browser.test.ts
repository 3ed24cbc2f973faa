/// <reference types="@vitest/browser-playwright" />
import { systemClock } from '@sluice/protocol/toolbox';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { cdp, server } from 'vitest/browser';
import { PATIENCE } from '../../../../../testing/patience.ts';
import { uuid } from '../../../src/base/uuid.ts';
import { createTracker } from '../../../src/entries/testing/testing.ts';
import type { Clock, Tracker, TrackerOptions, Transport } from '../../../src/index.ts';

const ada = { correlationValue: 'ada@example.com' };
const QUICK = 10;

/** Timers run faster, so that tests need not wait for retries; not so fast that a busy browser seems not to answer. */
const clock: Clock = {
  now: () => systemClock.now(),
  setTimeout: (callback, delayMs) => systemClock.setTimeout(callback, delayMs / QUICK),
};

/** Fails at once: no request is pending when a tracker is closed, so it leases nothing. */
const transport: Transport = {
  post: async () => ({ kind: 'failed', cause: 'nobody is there', maybeSent: false }),
  close: async () => {},
};

function answerOf<Result>(request: IDBRequest<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

const clear = () =>
  cdp().send('Storage.clearDataForOrigin', { origin: location.origin, storageTypes: 'indexeddb' });

/** Creates no database. */
async function holdsEvents(database: string): Promise<boolean> {
  const all = await indexedDB.databases();
  if (!all.some(({ name }) => name === database)) return false;
  const db = await answerOf(indexedDB.open(database));
  const keys = await answerOf(db.transaction('records').objectStore('records').getAllKeys());
  db.close();
  return keys.some((key) => Array.isArray(key));
}

describe('a tracker in a browser, while nobody takes its events', () => {
  const trackers: Tracker[] = [];
  let handles: IDBDatabase[];
  let apiKey: string;

  function create(options: Partial<TrackerOptions> = {}): Tracker {
    const tracker = createTracker({
      ...{ baseUrl: 'http://127.0.0.1:1', apiKey, correlationKey: 'email', clock, transport, ...options },
    });
    trackers.push(tracker);
    return tracker;
  }

  function track(tracker: Tracker, count: number): void {
    for (let number = 0; number < count; number += 1) tracker.track('event', {}, ada);
  }

  /** Resolves once all tracked events are durable. */
  async function healed(tracker: Tracker): Promise<void> {
    await vi.waitFor(() => tracker.durable(), PATIENCE);
    expect(tracker.stats()).toMatchObject({ journal: 'indexeddb', unwritten: 0 });
  }

  /** Resolves once a later page has found so many events. */
  async function found(tracker: Tracker, count: number): Promise<void> {
    await tracker.close({ timeoutMs: 0 });
    const next = create();
    await next.flush({ timeoutMs: 0 });
    await expect.poll(() => next.stats().recovered).toBe(count);
  }

  beforeEach(() => {
    apiKey = uuid();
    handles = [];
    const { open } = IDBFactory.prototype;
    vi.spyOn(IDBFactory.prototype, 'open').mockImplementation(function (this: IDBFactory, ...given) {
      const request = open.apply(this, given);
      request.addEventListener('success', () => handles.push(request.result));
      return request;
    });
  });

  afterEach(async () => {
    vi.restoreAllMocks();
    for (const tracker of trackers.splice(0)) await tracker.close({ timeoutMs: 0 });
    for (const db of handles) db.close();
  });

  const deleteAll = () => Promise.all(handles.map(({ name }) => answerOf(indexedDB.deleteDatabase(name))));

  const harms: [string, () => Promise<unknown>][] = [
    ['its connection was closed', async () => handles.map((db) => db.close())],
    ['its database was deleted', deleteAll],
  ];
  if (server.browser === 'chromium') harms.push(['its storage was cleared', clear]);

  it.each(harms)('has all in the journal again after %s', async (_, harm) => {
    const tracker = create();
    track(tracker, 300);
    await healed(tracker);
    track(tracker, 50);
    await harm();
    track(tracker, 300);
    await healed(tracker);
    await found(tracker, 650);
  });

  it('has in the journal again what it had written, though nothing more is tracked', async () => {
    const tracker = create();
    track(tracker, 300);
    await healed(tracker);
    const [database = ''] = handles.map(({ name }) => name);
    await deleteAll();
    await expect.poll(() => holdsEvents(database)).toBe(true);
    await healed(tracker);
    await found(tracker, 300);
  });

  it('goes on in memory while it cannot open its database, and has all in it once it can', async () => {
    const before = create();
    track(before, 100);
    await healed(before);
    await before.close({ timeoutMs: 0 });
    const [name = ''] = handles.map((db) => db.name);
    const raw = await answerOf(indexedDB.open(name));
    const deleted = answerOf(indexedDB.deleteDatabase(name));
    const tracker = create();
    track(tracker, 100);
    await expect.poll(() => tracker.stats().journal).toBe('memory');
    expect(tracker.stats()).toMatchObject({ accepted: 100, pending: 100 });
    raw.close();
    await deleted;
    await healed(tracker);
    await found(tracker, 100);
  });

  it('goes on in memory while there is no room, and has all in the journal once there is', async () => {
    const tracker = create();
    track(tracker, 100);
    await healed(tracker);
    const full = vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(() => {
      throw new DOMException('full', 'QuotaExceededError');
    });
    track(tracker, 500);
    await expect(tracker.durable()).rejects.toMatchObject({ code: 'SLUICE_STORAGE' });
    expect(tracker.stats()).toMatchObject({ journal: 'memory', pending: 600, unwritten: 500 });
    full.mockRestore();
    await healed(tracker);
    await found(tracker, 600);
  });

  it('gives up the oldest of its events where they are more than storage.maxBytes, and says so', async () => {
    const tracker = create({ storage: { maxBytes: 64 * 1024 } });
    track(tracker, 1_000);
    await healed(tracker);
    const { dropped, journalBytes, pending } = tracker.stats();
    expect(journalBytes).toBeLessThanOrEqual(64 * 1024);
    expect(dropped['journal-full']).toBeGreaterThan(0);
    expect(dropped['journal-full'] + pending).toBe(1_000);
    await found(tracker, pending);
  });

  it('is in memory where the browser hides or forbids its storage', async () => {
    for (const get of [
      () => undefined,
      () => {
        throw new DOMException('not here', 'SecurityError');
      },
    ]) {
      const hidden = Object.getOwnPropertyDescriptor(globalThis, 'indexedDB') ?? {};
      Object.defineProperty(globalThis, 'indexedDB', { get, configurable: true });
      const tracker = create();
      Object.defineProperty(globalThis, 'indexedDB', hidden);
      track(tracker, 10);
      expect(tracker.stats()).toMatchObject({ journal: 'memory', pending: 10 });
    }
  });
});
