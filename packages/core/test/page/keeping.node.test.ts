import 'fake-indexeddb/auto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { drain } from '../../src/page/service-worker.ts';
import { FakeOrigin, type FakeTab } from '../bench/fake-origin.ts';
import { FakeStorage } from '../bench/fake-storage.ts';
import { answered, failed } from '../bench/scripted-transport.ts';
import { keysOf, valueAt, write } from './records.ts';

let origin: FakeOrigin;

beforeEach(() => {
  origin = new FakeOrigin();
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  return origin.close();
});

/** A page whose events are stored, and its request waits for its answer. */
async function sending(count: number): Promise<{ tab: FakeTab; answer: (status: number) => void }> {
  let answer: (status: number) => void = () => {};
  origin.respond = () => new Promise((resolve) => (answer = (status) => resolve(answered(status))));
  const tab = origin.openTab();
  await origin.pass(50);
  tab.track(count);
  await origin.pass(500);
  expect(origin.open).toBe(1);
  return { tab, answer: (status) => answer(status) };
}

/** An answer that never comes. */
const nothing = () => new Promise<never>(() => {});
const received = () => [...origin.received.values()];
const page = async () => {
  const tab = origin.openTab();
  await origin.pass(50);
  return tab;
};
const parcels = async () => (await keysOf(origin.database)).filter(({ length }) => length === 6);
const leases = async () => (await keysOf(origin.database)).filter(({ length }) => length === 5);

describe('a page whose browser fails to store', () => {
  /** From now on transactions fail, though some of them are done. */
  function failWrites(isDone: boolean) {
    const { transaction } = IDBDatabase.prototype;
    return vi.spyOn(IDBDatabase.prototype, 'transaction').mockImplementation(function (
      this: IDBDatabase,
      ...args
    ) {
      const begun = transaction.apply(this, args as never);
      if (begun.mode !== 'readwrite') return begun;
      if (!isDone) throw new DOMException('the scripted failure', 'UnknownError');
      const listen = begun.addEventListener.bind(begun);
      vi.spyOn(begun, 'addEventListener').mockImplementation(
        (type: string, callback: EventListenerOrEventListenerObject) => {
          listen(type === 'complete' ? 'nothing' : type === 'abort' ? 'complete' : type, callback);
        },
      );
      return begun;
    });
  }

  it('deletes with what is written next what it could not delete', async () => {
    const { tab, answer } = await sending(10);
    const failing = failWrites(false);
    answer(200);
    await origin.pass(200);
    failing.mockRestore();
    expect(await parcels()).toHaveLength(1);
    origin.respond = () => answered(200);
    await origin.pass(5_000);
    expect(await keysOf(origin.database)).toEqual([]);
    expect(tab.tracker.stats()).toMatchObject({ delivered: 10, pending: 0, journal: 'indexeddb' });
  });

  it('deletes what it stored though the browser said that it did not', async () => {
    const tab = await page();
    const failing = failWrites(true);
    tab.track(10);
    await origin.pass(400);
    failing.mockRestore();
    await origin.pass(5_000);
    expect(tab.tracker.stats()).toMatchObject({ delivered: 10, pending: 0 });
    expect(await keysOf(origin.database)).toEqual([]);
    const next = await page();
    await origin.pass(5_000);
    expect(next.tracker.stats().recovered).toBe(0);
  });

  it('sends each event once, from memory, while it cannot store, and says when it can again', async () => {
    const kinds: string[] = [];
    const tab = await page();
    tab.tracker.on('storageChanged', ({ kind }) => kinds.push(kind));
    const failing = failWrites(false);
    for (let round = 0; round < 10; round += 1) {
      tab.track(5);
      await origin.pass(1_000, 100);
    }
    failing.mockRestore();
    await origin.pass(120_000, 1_000);
    expect(received()).toEqual(Array.from({ length: 50 }, () => 1));
    expect(kinds).toEqual(['memory', 'indexeddb']);
  });

  it('does not call durable what went with storage that was cleared meanwhile', async () => {
    origin.respond = () => failed(false);
    const tab = await page();
    tab.track(10);
    await tab.tracker.durable();
    const { open } = indexedDB;
    vi.spyOn(indexedDB, 'open').mockImplementation(function (this: IDBFactory, ...args) {
      return open.apply(indexedDB, args);
    });
    await new Promise((resolve) => {
      indexedDB.deleteDatabase(origin.database).onsuccess = resolve;
    });
    await tab.tracker.durable().catch(({ message }) => expect(message).toContain('not durable'));
    await tab.tracker.durable();
    expect(await parcels()).toHaveLength(1);
  });
});

describe('a lease', () => {
  it('is written with one transaction for all parcels of a request, and gone with the events', async () => {
    const { tab, answer } = await sending(10);
    expect(await leases()).toHaveLength(1);
    answer(200);
    await origin.pass(500);
    expect(await keysOf(origin.database)).toEqual([]);
    expect(tab.tracker.stats()).toMatchObject({ delivered: 10 });
  });

  it('ends with a request that failed, and there is none until one is answered', async () => {
    const { answer } = await sending(10);
    answer(503);
    await origin.pass(50);
    expect([await leases(), (await parcels()).length]).toEqual([[], 1]);
    origin.respond = nothing;
    await origin.pass(60_000, 500);
    expect(origin.open).toBe(1);
    expect(await leases()).toEqual([]);
  });

  it('is left to a page that stays where nobody saw the answer: quick visitors would send it again and again', async () => {
    const { tab } = await sending(10);
    tab.kill();
    origin.respond = () => answered(200);
    await origin.pass(31_000, 500);
    for (let visit = 0; visit < 5; visit += 1) {
      const visitor = origin.openTab();
      await origin.pass(3_000, 250);
      visitor.kill();
    }
    expect(origin.received.size).toBe(0);
    const next = origin.openTab();
    await origin.pass(7_000, 250);
    expect(received()).toEqual(Array.from({ length: 10 }, () => 1));
    expect(next.tracker.stats()).toMatchObject({ recovered: 10, maybeDuplicate: 10 });
  });

  it('that was made before the clock was set back has ended', async () => {
    const { tab } = await sending(10);
    tab.kill();
    origin.respond = () => answered(200);
    origin.skewMs = -3_600_000;
    origin.openTab();
    await origin.pass(8_000, 250);
    expect(received()).toEqual(Array.from({ length: 10 }, () => 1));
  });

  it('of what is gone is deleted, but for what a service worker sent', async () => {
    const until = origin.clock.now() - 60_000;
    const tab = await page();
    await write(origin.database, ['a page', 1, until, 30_000, 0]);
    await write(origin.database, ['a page', 2, until, 30 * 24 * 3_600_000, 2]);
    tab.track(1);
    await origin.pass(3_000);
    expect(await keysOf(origin.database)).toEqual([['a page', 2, until, 30 * 24 * 3_600_000, 2]]);
    await origin.clock.advance(31 * 24 * 3_600_000);
    tab.track(1);
    await origin.pass(3_000);
    expect(await keysOf(origin.database)).toEqual([]);
  });
});

describe('what a page writes as it is left', () => {
  beforeEach(() => {
    vi.stubGlobal('localStorage', new FakeStorage());
    vi.stubGlobal('navigator', { onLine: true });
    origin.respond = nothing;
  });

  const spilled = () => Object.keys(localStorage).filter((name) => name.startsWith(`${origin.database} [`));

  /** A browser that loses each write from now on, as WebKit does once a page is left. */
  function loseWrites() {
    return vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(() => {
      throw new DOMException('the page is gone', 'AbortError');
    });
  }

  it.each([true, false])(
    'is there once for the next page, whether the browser loses it: %s',
    async (isLost) => {
      const tab = await page();
      const losing = isLost ? loseWrites() : undefined;
      tab.track(20);
      tab.view.dispatchEvent(new Event('pagehide'));
      tab.track(5);
      await origin.pass(10);
      tab.kill();
      losing?.mockRestore();
      expect(spilled().length).toBeGreaterThan(0);
      origin.respond = () => answered(200);
      const next = await page();
      await origin.pass(60_000, 500);
      expect(origin.received.size).toBe(25);
      expect(next.tracker.stats()).toMatchObject({ recovered: 25, delivered: 25, pending: 0 });
      expect(spilled()).toEqual([]);
    },
  );

  it('is leased as it was to be', async () => {
    origin.room = 60_000;
    const tab = await page();
    const losing = loseWrites();
    tab.track(20);
    tab.view.dispatchEvent(new Event('pagehide'));
    await origin.pass(10);
    tab.kill();
    losing.mockRestore();
    origin.respond = () => answered(200);
    const next = await page();
    await origin.pass(25_000, 500);
    expect(next.tracker.stats()).toMatchObject({ recovered: 0, pending: 0 });
    await origin.pass(10_000, 500);
    expect(next.tracker.stats()).toMatchObject({ recovered: 20, maybeDuplicate: 20 });
  });

  it('counts as delivered once a service worker has sent it, which cannot see what was spilled', async () => {
    const tab = await page();
    tab.track(5);
    tab.view.dispatchEvent(new Event('pagehide'));
    await origin.pass(10);
    tab.kill();
    expect(spilled().length).toBeGreaterThan(0);
    vi.stubGlobal('fetch', async () => new Response('{}'));
    const { baseUrl } = origin.service as { readonly baseUrl: string };
    await drain({ baseUrl, correlationKey: 'email', account: origin.name });
    origin.respond = () => answered(200);
    const next = await page();
    await origin.pass(10_000, 500);
    expect(origin.received.size).toBe(0);
    expect(next.tracker.stats()).toMatchObject({ pending: 0, maybeDuplicate: 0 });
    expect(spilled()).toEqual([]);
  });

  it('is not spilled any more once the page is back: it still has it', async () => {
    const tab = await page();
    tab.view.dispatchEvent(new Event('pagehide'));
    tab.track(5);
    await origin.pass(10);
    expect(spilled().length).toBeGreaterThan(0);
    origin.respond = () => answered(200);
    tab.view.dispatchEvent(new Event('pageshow'));
    expect(spilled()).toEqual([]);
    await origin.pass(40_000, 500);
    expect(received()).toEqual([1, 1, 1, 1, 1]);
  });

  it('takes no more than 256 Ki characters of what the site may store, and all is there', async () => {
    const tab = await page();
    tab.view.dispatchEvent(new Event('pagehide'));
    for (let number = 0; number < 40; number += 1) tab.track(1, 'x'.repeat(10_000));
    const lengths = spilled().map((name) => String(localStorage.getItem(name)).length);
    expect(lengths.length).toBeGreaterThan(3);
    expect(lengths.reduce((sum, length) => sum + length, 0)).toBeLessThanOrEqual(256 * 1024);
    await origin.pass(50);
    tab.kill();
    const next = await page();
    await origin.pass(1_000);
    expect(next.tracker.stats()).toMatchObject({ recovered: 40 });
  });

  it.each([
    ['is hidden', undefined],
    ['is full', new DOMException('full', 'QuotaExceededError')],
  ])('is stored as ever where localStorage %s', async (_, error) => {
    if (!error) vi.stubGlobal('localStorage', undefined);
    else
      vi.spyOn(localStorage, 'setItem').mockImplementation(() => {
        throw error;
      });
    const tab = await page();
    tab.view.dispatchEvent(new Event('pagehide'));
    tab.track(5);
    await origin.pass(50);
    tab.kill();
    const next = await page();
    await origin.pass(1_000);
    expect(next.tracker.stats()).toMatchObject({ recovered: 5 });
  });

  it('is removed from localStorage where another script wrote it', async () => {
    for (const [key, value] of [
      ['["a page",1]', '[]'],
      ['["a page",1,1,5,5,""]', '[1]'],
      ['no key', 'no value'],
    ] as const)
      localStorage.setItem(`${origin.database} ${key}`, value);
    localStorage.setItem('of the site', 'stays');
    await page();
    expect(Object.keys(localStorage).filter((name) => name.startsWith(`${origin.database} `))).toEqual([]);
    expect(localStorage.getItem('of the site')).toBe('stays');
  });
});

const HUGE = 2 ** 53;
const FAR = Date.now() + 3e10;
const ODD: readonly (readonly [name: string, key: IDBValidKey])[] = [
  ['a number', 7],
  ['a negative number', -1],
  ['infinity', Number.POSITIVE_INFINITY],
  ['a text', 'cart'],
  ['a date', new Date(0)],
  ['bytes', new Uint8Array([1, 2])],
  ['an empty array', []],
  ['one element', ['page']],
  ['two elements', ['page', 1]],
  ['a parcel without a session', ['page', 1, 1, 5]],
  ['a parcel with one element more', ['page', 1, 1, 5, 5, '', '']],
  ['a lease of a year', ['page', 1, FAR, 3e10, 0]],
  ['a lease without an end', ['page', 1, Number.POSITIVE_INFINITY, 5, 0]],
  ['a lease of no time', ['page', 1, 5, 5, 0]],
  ['texts', ['page', 'a', 'b', 'c', 'd', '']],
  ['an array as a page', [['page'], 1, 1, 5, 5, '']],
  ['a pause of texts', [1, 'a', 'b']],
  ['a pause that does not end', [Number.POSITIVE_INFINITY, 1, Number.POSITIVE_INFINITY]],
  ['a pause of a year', [FAR, 1, 3e10]],
  ['a negative number of a parcel', ['page', -1, 1, 5, 5, '']],
  ['no events', ['page', 1, 0, 5, 5, '']],
  ['a fraction of an event', ['page', 1, 0.5, 5, 5, '']],
  ['more events than bytes', ['page', 1, 6, 5, 5, '']],
  ['a huge number', ['page', HUGE, 1, 5, 5, '']],
  ['a huge size', ['page', 1, 1, HUGE - 1, 5, '']],
  ['a session of no text', ['page', 1, 1, 5, 5, 1]],
];

describe('what another script wrote into the database', () => {
  async function visit() {
    const damages: unknown[] = [];
    const tab = origin.openTab({ batch: { maxWaitMs: 60_000 } });
    tab.tracker.on('damaged', (detail) => damages.push(detail));
    await origin.pass(100);
    const { recovered } = tab.tracker.stats();
    tab.kill();
    return { recovered, damages };
  }

  async function leave() {
    const tab = origin.openTab({ batch: { maxWaitMs: 60_000 } });
    origin.respond = nothing;
    tab.track(2);
    await origin.pass(500);
    await tab.tracker.durable();
    tab.kill();
  }

  it('is skipped, removed, and reported once for all that one list shows', async () => {
    await leave();
    const before = await keysOf(origin.database);
    for (const [, key] of ODD) await write(origin.database, key);
    const { recovered, damages } = await visit();
    expect([recovered, damages]).toEqual([2, [{ place: origin.database, bytes: 0 }]]);
    const after = (await keysOf(origin.database)).filter(({ length }) => length === 6);
    expect(after).toEqual(before);
  });

  it.each(ODD)('is skipped, removed and reported: %s as a key', async (_, key) => {
    await leave();
    await write(origin.database, key);
    expect((await visit()).damages).toHaveLength(1);
    expect(await valueAt(origin.database, key)).toBeUndefined();
  });

  it.each([
    ['a number', 1],
    ['bytes', new Uint8Array(3)],
    ['too few texts', ['{}']],
    ['no texts', [1, 2]],
  ])('is dropped as damaged where it is the value of a parcel: %s', async (_, value) => {
    await leave();
    await write(origin.database, ['page', 1, 2, 5, 5, ''], value);
    origin.respond = () => answered(200);
    const tab = origin.openTab();
    const damages: unknown[] = [];
    tab.tracker.on('damaged', (detail) => damages.push(detail));
    await origin.pass(3_000);
    expect(tab.tracker.stats()).toMatchObject({ recovered: 4, delivered: 2, pending: 0 });
    expect([tab.tracker.stats().dropped.damaged, damages]).toEqual([
      2,
      [{ place: origin.database, bytes: 5 }],
    ]);
    expect(await parcels()).toEqual([]);
  });
});
