import 'fake-indexeddb/auto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FakeOrigin, type FakeTab } from '../bench/fake-origin.ts';
import { FakeStorage } from '../bench/fake-storage.ts';
import { answered, failed } from '../bench/scripted-transport.ts';
import { full, keysOf } from './records.ts';

let origin: FakeOrigin;
beforeEach(() => {
  origin = new FakeOrigin();
  origin.room = 60_000;
});
afterEach(async () => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  await origin.close();
});

const fire = (tab: FakeTab, type: string) => tab.view.dispatchEvent(new Event(type));

it.each(['drop-oldest', 'drop-newest'] as const)(
  'what is in a request is not cut where storage is full: %s',
  async (whenFull) => {
    origin.respond = () => origin.after(2_000, answered(200));
    const batch = { maxWaitMs: 1_000 };
    const tab = origin.openTab({ storage: { maxBytes: 65_536, whenFull }, batch, logger: false });
    const track = (count: number) => {
      for (let number = 0; number < count; number += 1)
        tab.tracker.track('event', { number, text: 'x'.repeat(5_000) });
    };
    await origin.pass(50);
    track(8);
    await origin.pass(1_300, 100);
    expect(tab.tracker.stats().inFlight).toBe(8);
    track(3);
    await origin.pass(400, 100);
    track(4);
    fire(tab, 'pagehide');
    await origin.pass(100);
    fire(tab, 'pageshow');
    await origin.pass(120_000, 1_000);
    const { delivered, dropped, pending } = tab.tracker.stats();
    const full = dropped['journal-full'];
    expect({ taken: origin.received.size, delivered, pending, full }).toEqual({
      ...{ taken: 15 - full, delivered: 15 - full, pending: 0, full },
    });
  },
);

it('a page does not send what another one that was left has in a request', async () => {
  // The first request fails.
  let requests = 0;
  origin.respond = () => {
    requests += 1;
    return requests === 1 ? failed(false) : origin.after(3_000, answered(200));
  };
  const options = { random: () => 1, logger: false } as const;
  const one = origin.openTab(options);
  const two = origin.openTab(options);
  await origin.pass(6_000, 500);
  one.track(1);
  await origin.pass(300, 50);
  expect(requests).toBe(1);
  // Another tab has the turn, and finds the event.
  two.track(1);
  await origin.pass(200, 20);
  expect(requests).toBeGreaterThanOrEqual(2);
  fire(two, 'pagehide');
  await origin.pass(60_000, 100);
  expect([...origin.received.values()]).toEqual([1, 1]);
});

it('what another page left in localStorage is not sent again, though its copy there is found later than its record', async () => {
  const storage = new FakeStorage();
  vi.stubGlobal('localStorage', storage);
  origin.room = 0;
  const stays = origin.openTab({ logger: false });
  await origin.pass(6_000, 500);
  const left = origin.openTab({ logger: false });
  await origin.pass(50);
  left.track(3);
  fire(left, 'pagehide');
  // It is written to both at once. But what is in localStorage was read before, and what is in the database afterwards.
  const copies = Object.entries(storage).filter(([name]) => name.startsWith(`${origin.database} `));
  expect(copies).toHaveLength(1);
  for (const [name] of copies) storage.removeItem(name);
  await origin.pass(10_000, 100);
  expect(stays.tracker.stats()).toMatchObject({ delivered: 3, pending: 0 });
  Object.assign(storage, Object.fromEntries(copies));
  stays.track(1);
  await origin.pass(60_000, 500);
  expect([...origin.received.values()]).toEqual([1, 1, 1, 1]);
  expect(Object.keys(storage).filter((name) => name.startsWith(`${origin.database} `))).toEqual([]);
});

describe('a record that was cut', () => {
  /** A page left three events, in the database and, as others see it later, in localStorage. */
  async function leaveCopy(storage: FakeStorage): Promise<() => void> {
    const left = origin.openTab({ logger: false });
    await origin.pass(50);
    left.track(3);
    fire(left, 'pagehide');
    const copies = Object.entries(storage).filter(([name]) => name.startsWith(`${origin.database} `));
    for (const [name] of copies) storage.removeItem(name);
    return () => Object.assign(storage, Object.fromEntries(copies));
  }

  beforeEach(() => {
    origin.room = 0;
    origin.respond = ({ length }) => answered(length > 1 ? 413 : 200);
  });

  it('is not sent again as a whole, though a copy of it is found later', async () => {
    const storage = new FakeStorage();
    vi.stubGlobal('localStorage', storage);
    const stays = origin.openTab({ logger: false });
    await origin.pass(6_000, 500);
    const show = await leaveCopy(storage);
    await origin.pass(10_000, 100);
    expect(stays.tracker.stats()).toMatchObject({ delivered: 3, pending: 0 });
    show();
    stays.track(1);
    await origin.pass(60_000, 500);
    expect([...origin.received.values()]).toEqual([1, 1, 1, 1]);
  });

  it('is not sent beside its parts, which its page could not store before it was left', async () => {
    vi.stubGlobal('localStorage', new FakeStorage());
    const left = origin.openTab({ logger: false, batch: { maxWaitMs: 1_000 } });
    await origin.pass(50);
    left.track(2);
    void left.tracker.durable();
    await origin.pass(50);
    origin.respond = ({ length }) => (length > 1 ? answered(413) : new Promise(() => {}));
    full();
    await origin.pass(3_000, 100);
    fire(left, 'pagehide');
    left.kill();
    vi.restoreAllMocks();
    origin.respond = () => answered(200);
    const next = origin.openTab({ logger: false });
    await origin.pass(60_000, 500);
    expect([...origin.received.values()]).toEqual([1, 1]);
    expect(next.tracker.stats()).toMatchObject({ recovered: 2, delivered: 2 });
  });

  it('is sent by its page, if that was away meanwhile, before what it tracks later', async () => {
    const options = { logger: false, ordering: 'strict' } as const;
    const one = origin.openTab(options);
    await origin.pass(6_000, 500);
    origin.respond = () => failed(false);
    one.track(2, 'old');
    await origin.pass(200);
    fire(one, 'pagehide');
    const names: string[] = [];
    origin.respond = (events) => {
      if (events.length > 1) return answered(413);
      names.push(...events.map(({ event }) => event));
      return names.length > 1 ? new Promise(() => {}) : answered(200);
    };
    const two = origin.openTab(options);
    await origin.pass(30_000, 500);
    expect(names).toEqual(['old', 'old']);
    two.kill();
    names.splice(0);
    origin.respond = (events) => {
      names.push(...events.map(({ event }) => event));
      return answered(200);
    };
    fire(one, 'pageshow');
    one.track(1, 'new');
    await origin.pass(120_000, 500);
    expect(names).toEqual(['old', 'new']);
  });
});

it('with a full quota a page asks a service that is away no more often than with room', async () => {
  let requests = 0;
  origin.respond = () => {
    requests += 1;
    return answered(503);
  };
  const tab = origin.openTab({ logger: false });
  await origin.pass(50);
  full();
  for (let minute = 0; minute < 30; minute += 1) {
    tab.track(1);
    await origin.pass(60_000, 500);
  }
  expect(requests).toBeLessThan(90);
});

it('with a full quota what was delivered is deleted, though a dead letter waits', async () => {
  // A page left five records.
  const before = origin.openTab({ logger: false, batch: { maxWaitMs: 60_000 } });
  await origin.pass(50);
  for (let parcel = 0; parcel < 5; parcel += 1) {
    before.track(10);
    void before.tracker.durable();
    await origin.pass(50);
  }
  before.kill();
  let requests = 0;
  const classify = () => {
    requests += 1;
    return requests === 1 ? [{ index: 0, reason: 'bad' }] : [];
  };
  origin.respond = () => answered(200);
  full((_, value) => value !== 0);
  const tab = origin.openTab({
    logger: false,
    delivery: { classify, maxConcurrency: 1 },
    batch: { maxWaitMs: 100, maxEvents: 10 },
  });
  await origin.pass(10 * 60_000, 1_000);
  expect(tab.tracker.stats()).toMatchObject({ deadLettered: 1, delivered: 49 });
  // What the letter is made of stays stored, and nothing else.
  expect((await keysOf(origin.database)).filter(({ length }) => length === 6)).toHaveLength(1);
  tab.kill();
  vi.restoreAllMocks();
  origin.openTab({ logger: false });
  await origin.pass(60_000, 1_000);
  expect([...origin.received.values()].filter((times) => times > 1)).toHaveLength(10);
});

it('the books balance while a listener runs', async () => {
  const classify = () => [{ index: 1, reason: 'bad' }];
  const tab = origin.openTab({ logger: false, delivery: { classify } });
  const seen: number[] = [];
  for (const name of ['delivered', 'deadLettered'] as const)
    tab.tracker.on(name, () => void seen.push(tab.imbalance));
  tab.track(3);
  await origin.pass(1_000, 100);
  expect(seen).toEqual([0, 0]);
});

it('the books balance while a listener runs, also as a page finds what is delivered', async () => {
  vi.stubGlobal('localStorage', new FakeStorage());
  origin.respond = () => answered(200);
  const before = origin.openTab({ logger: false }, true, 'once');
  await origin.pass(50);
  before.track(1);
  await origin.pass(1_000, 100);
  origin.respond = () => new Promise(() => {});
  before.track(3);
  await origin.pass(1_000, 100);
  before.kill();
  origin.respond = () => answered(200);
  const tab = origin.openTab({ logger: false }, true, 'once');
  const seen: number[] = [];
  for (const name of ['delivered', 'recovered'] as const)
    tab.tracker.on(name, () => void seen.push(tab.imbalance));
  await origin.pass(60_000, 500);
  expect(tab.tracker.stats()).toMatchObject({ recovered: 3, delivered: 3 });
  expect(seen).toEqual([0, 0]);
});

it.each(['granted', 'pending'] as const)(
  'a page that is prerendered can lift a denial: with the option %s',
  async (consent) => {
    vi.stubGlobal('localStorage', new FakeStorage());
    const first = origin.openTab({ logger: false });
    first.tracker.setConsent('denied');
    await origin.pass(500, 50);
    await first.close();
    const page = Object.assign(new EventTarget(), { prerendering: true, visibilityState: 'visible' });
    vi.stubGlobal('document', page);
    const tab = origin.openTab({ logger: false, consent });
    tab.tracker.setConsent('granted');
    tab.track(1);
    page.prerendering = false;
    page.dispatchEvent(new Event('prerenderingchange'));
    tab.track(1);
    await origin.pass(2_000, 100);
    expect(tab.tracker.stats()).toMatchObject({ delivered: 2, dropped: { denied: 0 } });
  },
);

it('what was delivered is not stored again by a transaction that is tried once more', async () => {
  const tab = origin.openTab({ logger: false });
  await origin.pass(50);
  tab.track(1);
  // The first transaction that stores the event fails, late: the browser lost it.
  const { put } = IDBObjectStore.prototype;
  let isBroken = false;
  vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(function (this: IDBObjectStore, value, key) {
    const request = put.call(this, value, key);
    if (!isBroken && Array.isArray(value)) {
      isBroken = true;
      request.onsuccess = () => this.transaction.abort();
    }
    return request;
  });
  const page = { visibilityState: 'hidden' };
  vi.stubGlobal('document', page);
  fire(tab, 'visibilitychange');
  await origin.pass(50, 1);
  page.visibilityState = 'visible';
  await origin.pass(2_000, 100);
  expect(tab.tracker.stats().delivered).toBe(1);
  expect((await keysOf(origin.database)).filter(({ length }) => length === 6)).toEqual([]);
});

it('what failed is sent again though the clock is set back while another page has it in a request', async () => {
  let requests = 0;
  let isBack = false;
  origin.respond = () => {
    requests += 1;
    if (isBack) return answered(200);
    return requests === 1 ? failed(false) : new Promise(() => {});
  };
  const options = { random: () => 1, logger: false } as const;
  const one = origin.openTab(options);
  await origin.pass(6_000, 500);
  one.track(1);
  await origin.pass(300, 50);
  expect(requests).toBe(1);
  // Another page finds the event, sends it, and ends.
  const two = origin.openTab(options);
  await origin.pass(200, 20);
  expect(requests).toBe(2);
  two.kill();
  // The first page lists what is stored.
  await origin.pass(3_000, 50);
  origin.skewMs = -24 * 3_600_000;
  isBack = true;
  await origin.pass(30 * 60_000, 1_000);
  expect(one.tracker.stats()).toMatchObject({ pending: 0 });
  expect(origin.received.size).toBe(1);
});
