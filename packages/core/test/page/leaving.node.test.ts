import 'fake-indexeddb/auto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Outcome, TransportRequest } from '../../src/send/http/transport.ts';
import { FakeOrigin, type FakeTab } from '../bench/fake-origin.ts';
import { FakeStorage } from '../bench/fake-storage.ts';
import { answered, failed } from '../bench/scripted-transport.ts';

const KIB = 1024;
/** For so long other pages leave alone what a page has in a request. */
const LEASE_MS = 30_000;
const HERE = 'https://shop.example';

let origin: FakeOrigin;
let requests: { readonly count: number; readonly bytes: number; readonly text: string; outlives: boolean }[];
/** What the service answers from now on. */
let answer: () => Outcome | Promise<Outcome>;
let page: { visibilityState: string };
let nowMs: number;

function another(): FakeOrigin {
  const origin = new FakeOrigin();
  origin.room = 60 * KIB;
  origin.respond = ({ length: count }, { body, outlives = false }: TransportRequest) => {
    requests.push({ count, bytes: body.length, text: new TextDecoder().decode(body), outlives });
    return answer();
  };
  return origin;
}

beforeEach(() => {
  origin = another();
  requests = [];
  answer = () => answered(200);
  page = { visibilityState: 'visible' };
  nowMs = 0;
  vi.stubGlobal('document', page);
  vi.stubGlobal('location', { origin: HERE });
  vi.stubGlobal('navigator', { onLine: true });
  vi.stubGlobal('navigation', new EventTarget());
  vi.stubGlobal('performance', { now: () => nowMs });
});

afterEach(async () => {
  vi.unstubAllGlobals();
  await origin.close();
});

const never = () => new Promise<never>(() => {});

/** A page that is open for a while. */
async function open(options?: Parameters<FakeOrigin['openTab']>[0]): Promise<FakeTab> {
  const tab = origin.openTab({ batch: { maxWaitMs: 1_000 }, ...options });
  await origin.pass(50);
  return tab;
}

/** Tracks events of about 450 bytes each. */
function track({ tracker }: FakeTab, count: number, bytes = 250): void {
  for (let number = 0; number < count; number += 1) tracker.track('event', { text: 'x'.repeat(bytes) });
}

function fire(target: EventTarget, type: string, fields: object = {}): void {
  target.dispatchEvent(Object.assign(new Event(type), fields));
}

/** Returns the requests that were made before the page's listeners were over. */
function during(work: () => void): typeof requests {
  const before = requests.length;
  work();
  return requests.slice(before);
}

function hide(tab: FakeTab): typeof requests {
  page.visibilityState = 'hidden';
  return during(() => fire(tab.view, 'visibilitychange'));
}

function leave(tab: FakeTab): typeof requests {
  return during(() => fire(tab.view, 'pagehide'));
}

function comeBack(tab: FakeTab): void {
  page.visibilityState = 'visible';
  fire(tab.view, 'pageshow');
}

/** The page's next one, and how many events it finds. */
async function found(tab: FakeTab): Promise<number> {
  tab.kill();
  const next = await open();
  await origin.pass(100);
  return next.tracker.stats().recovered;
}

describe('a page that is hidden', () => {
  it('sends what has room, before its listeners are over, and writes all', async () => {
    const tab = await open();
    answer = never;
    track(tab, 1_000);
    const sent = hide(tab);
    expect(sent.every(({ outlives }) => outlives)).toBe(true);
    const bytes = sent.reduce((sum, request) => sum + request.bytes, 0);
    expect(bytes).toBeGreaterThan(40 * KIB);
    expect(bytes).toBeLessThanOrEqual(60 * KIB);
    await origin.pass(50);
    expect(origin.committed.size).toBe(1_000);
    expect(tab.tracker.stats()).toMatchObject({ pending: 1_000, delivered: 0 });
  });

  it('counts what it sees an answer to as delivered', async () => {
    const tab = await open();
    track(tab, 50);
    expect(hide(tab).map(({ count }) => count)).toEqual([50]);
    await origin.pass(50);
    expect(tab.tracker.stats()).toMatchObject({ pending: 0, inFlight: 0, delivered: 50, journalBytes: 0 });
  });

  it('sends again what failed, as any other batch, where it lives on', async () => {
    const tab = await open();
    answer = () => failed(true);
    track(tab, 50);
    hide(tab);
    await origin.pass(10);
    expect(tab.tracker.stats().maybeDuplicate).toBe(50);
    answer = () => answered(200);
    await origin.pass(3_000, 100);
    expect(requests.map(({ outlives }) => outlives)).toEqual([true, false]);
    expect(requests[1]?.text).toBe(requests[0]?.text);
    expect(tab.tracker.stats()).toMatchObject({ pending: 0, delivered: 50 });
  });

  it('sends what is written and waits for others to be sent with once no other page does', async () => {
    const tab = await open();
    track(tab, 30);
    await origin.pass(400);
    expect(tab.tracker.stats()).toMatchObject({ pending: 30, unwritten: 0, inFlight: 0 });
    track(tab, 20);
    expect(hide(tab).map(({ count }) => count)).toEqual([20]);
    await origin.pass(1_500);
    expect(tab.tracker.stats()).toMatchObject({ pending: 0, delivered: 50 });
  });

  it('sends nothing while the service does not answer, and writes all', async () => {
    const tab = await open();
    answer = () => failed(false);
    for (let number = 0; number < 5; number += 1) {
      track(tab, 1);
      await origin.pass(1_500, 100);
    }
    await origin.pass(5_000, 100);
    expect(tab.tracker.stats().breaker).toBe('open');
    track(tab, 50);
    expect(hide(tab)).toEqual([]);
    await origin.pass(50);
    expect(origin.committed.size).toBe(55);
  });
});

describe('a page that is left', () => {
  it('sends one request where order is strict, and none while something older is under way', async () => {
    answer = never;
    for (const isUnderWay of [false, true]) {
      const tab = await open({ ordering: 'strict' });
      if (isUnderWay) {
        track(tab, 1);
        await origin.pass(1_500, 100);
        expect(tab.tracker.stats().inFlight).toBe(1);
      }
      track(tab, 50);
      expect(leave(tab)).toHaveLength(isUnderWay ? 0 : 1);
      await origin.pass(50);
      expect(tab.tracker.stats().unwritten).toBe(0);
      tab.kill();
      origin = another();
    }
  });

  it('sends no more than a request that was made before left room for', async () => {
    const tab = await open();
    origin.room = 10_000;
    for (let number = 0; number < 100; number += 1) {
      track(tab, 1);
      // Each is a parcel of its own.
      void tab.tracker.durable();
    }
    const bytes = leave(tab).reduce((sum, request) => sum + request.bytes, 0);
    expect(bytes).toBeGreaterThan(5_000);
    expect(bytes).toBeLessThanOrEqual(10_000);
  });

  it('does not send an event that is larger than the room', async () => {
    const tab = await open();
    track(tab, 1, 70_000);
    expect(leave(tab)).toEqual([]);
    await origin.pass(50);
    expect(await found(tab)).toBe(1);
  });

  it('sends and leases nothing after a request that failed: the next page can send all', async () => {
    const tab = await open();
    answer = () => failed(false);
    track(tab, 10);
    await origin.pass(1_500, 100);
    expect(tab.tracker.stats().breaker).toBe('closed');
    requests = [];
    track(tab, 20);
    expect(leave(tab)).toEqual([]);
    await origin.pass(50);
    expect(await found(tab)).toBe(30);
  });

  it('sends again once a request was answered', async () => {
    const tab = await open();
    answer = () => failed(false);
    track(tab, 10);
    await origin.pass(1_500, 100);
    answer = () => answered(200);
    await origin.pass(10_000, 500);
    track(tab, 20);
    expect(leave(tab).map(({ count }) => count)).toEqual([20]);
  });

  it('sees the answer to what it had in a request when it comes back from the back/forward cache', async () => {
    const tab = await open();
    let end = () => {};
    answer = () => new Promise((resolve) => (end = () => resolve(answered(200))));
    track(tab, 10);
    await origin.pass(1_500, 100);
    leave(tab);
    comeBack(tab);
    end();
    await origin.pass(50);
    expect(tab.tracker.stats()).toMatchObject({ pending: 0, delivered: 10 });
  });

  it('sends what it had in a request once more, when the lease has ended and it is back', async () => {
    const tab = await open();
    let end = () => {};
    answer = () => new Promise((resolve) => (end = () => resolve(failed(true))));
    track(tab, 10);
    await origin.pass(1_500, 100);
    leave(tab);
    end();
    answer = () => answered(200);
    await origin.pass(10);
    comeBack(tab);
    track(tab, 5);
    await origin.pass(LEASE_MS - 5_000, 500);
    expect(tab.tracker.stats()).toMatchObject({ pending: 10, delivered: 5 });
    await origin.pass(10_000, 500);
    expect(tab.tracker.stats()).toMatchObject({ pending: 0, delivered: 15 });
    expect(requests.map(({ count }) => count)).toEqual([10, 5, 10]);
  });

  it("sends nothing twice with leaving: 'once', though it is back from a page of another site", async () => {
    vi.stubGlobal('localStorage', new FakeStorage());
    const tab = origin.openTab({ batch: { maxWaitMs: 1_000 } }, true, 'once');
    await origin.pass(50);
    track(tab, 1);
    await origin.pass(1_500, 100);
    let end = () => {};
    answer = () => new Promise((resolve) => (end = () => resolve(failed(true))));
    track(tab, 10);
    await origin.pass(400, 100);
    leave(tab);
    await origin.pass(10);
    end();
    answer = () => answered(200);
    await origin.pass(10);
    comeBack(tab);
    await origin.pass(2 * LEASE_MS, 500);
    expect(tab.tracker.stats()).toMatchObject({ pending: 0, delivered: 11 });
    expect(requests.map(({ count }) => count)).toEqual([1, 10]);
  });
});

describe('a page whose turn another one has', () => {
  /** Two pages. The first one has its request under way, and so the turn. */
  async function openBoth(options?: Parameters<FakeOrigin['openTab']>[0]) {
    const [first, second] = [await open(options), await open(options)];
    answer = never;
    track(first, 1);
    await origin.pass(1_500, 100);
    expect(origin.open).toBe(1);
    return second;
  }

  it('sends as it is hidden what it has not written, and leaves the rest to the other', async () => {
    const tab = await openBoth();
    track(tab, 30);
    await origin.pass(400);
    track(tab, 20);
    expect(hide(tab).map(({ count }) => count)).toEqual([20]);
  });

  it('sends all as it is left', async () => {
    const tab = await openBoth();
    track(tab, 30);
    await origin.pass(400);
    track(tab, 20);
    expect(leave(tab).reduce((sum, { count }) => sum + count, 0)).toBe(50);
  });

  /** Two pages. The first one has in a request what both have stored. */
  async function openTogether() {
    const [first, second] = [await open(), await open()];
    track(first, 1);
    await origin.pass(400);
    track(second, 30);
    await origin.pass(700, 100);
    expect(requests[0]?.count).toBe(31);
    return second;
  }

  it('does not send what the other has in a request', async () => {
    answer = never;
    const tab = await openTogether();
    track(tab, 20);
    expect(leave(tab).map(({ count }) => count)).toEqual([20]);
  });

  it('sends nothing where order is strict', async () => {
    const tab = await openBoth({ ordering: 'strict' });
    track(tab, 30);
    expect(hide(tab)).toEqual([]);
    await origin.pass(50);
    expect(origin.committed.size).toBe(31);
  });
});

describe('where the next page is of the same origin, it can send: the page sends nothing as it is left', () => {
  let tab: FakeTab;

  /** @param isTold Whether the browser says where a page is left to. */
  async function start(isTold: boolean): Promise<void> {
    if (isTold) vi.stubGlobal('onpageswap', null);
    vi.stubGlobal('localStorage', new FakeStorage());
    tab = await open();
    track(tab, 5);
  }

  function navigate(url: string, fields: object = {}): void {
    const destination = { url, sameDocument: false, ...fields };
    fire(globalThis.navigation as unknown as EventTarget, 'navigate', {
      ...{ downloadRequest: null, ...fields },
      destination,
    });
  }

  const isKept = () => leave(tab).length === 0;

  it.each([
    [`${HERE}/next`, true],
    [`${HERE}.org/`, false],
    // That of a page that sends no referrer. Of pages of other origins a browser says nothing.
    [null, true],
  ])('as the browser says: %s', async (url, expected) => {
    await start(true);
    navigate(`${HERE}/intended`);
    fire(tab.view, 'pageswap', { activation: { entry: { url } } });
    expect(isKept()).toBe(expected);
  });

  it('but what outlives it only', async () => {
    await start(true);
    vi.stubGlobal('localStorage', undefined);
    fire(tab.view, 'pageswap', { activation: { entry: { url: `${HERE}/next` } } });
    expect(leave(tab)).toHaveLength(1);
  });

  it('but all of a page that keeps events in memory', async () => {
    vi.stubGlobal('onpageswap', null);
    tab = await open({ journal: 'memory' });
    track(tab, 5);
    fire(tab.view, 'pageswap', { activation: { entry: { url: `${HERE}/next` } } });
    expect(leave(tab)).toEqual([expect.objectContaining({ count: 5, outlives: true })]);
  });

  it('but not where the browser says nothing', async () => {
    await start(true);
    fire(tab.view, 'pageswap', { activation: null });
    expect(isKept()).toBe(false);
  });

  it('but not for a page that was back meanwhile', async () => {
    await start(true);
    fire(tab.view, 'pageswap', { activation: { entry: { url: `${HERE}/next` } } });
    comeBack(tab);
    expect(isKept()).toBe(false);
  });

  it.each([
    [[`${HERE}/next`], true],
    [[`${HERE}/next`, 'https://other.example/'], false],
  ])('as the user meant to go last, where the browser only says that: %j', async (urls, expected) => {
    await start(false);
    for (const url of urls) navigate(url);
    expect(isKept()).toBe(expected);
  });

  it.each([
    ['within the document', { sameDocument: true }],
    ['to a download', { downloadRequest: 'file.pdf' }],
  ])('whatever was meant to lead %s', async (_, fields) => {
    await start(false);
    navigate(`${HERE}/next`);
    navigate('https://other.example/', fields);
    expect(isKept()).toBe(true);
  });

  it.each([
    [9_999, true],
    [10_000, false],
  ])('for 10 s after the user meant to go: %i ms', async (ms, expected) => {
    await start(false);
    navigate(`${HERE}/next`);
    nowMs = ms;
    expect(isKept()).toBe(expected);
  });

  it("and takes no notice of a router's event of that name", async () => {
    vi.stubGlobal('navigation', undefined);
    await start(false);
    fire(tab.view, 'navigate');
    fire(tab.view, 'navigate', { destination: { url: `${HERE}/next` }, downloadRequest: null });
    expect(isKept()).toBe(false);
  });

  it.each([true, false])(
    'and writes as soon as the user goes (the browser says where to: %s)',
    async (isTold) => {
      await start(isTold);
      expect(origin.committed.size).toBe(0);
      navigate('https://other.example/');
      await origin.pass(0);
      await origin.pass(1);
      expect(origin.committed.size).toBe(5);
    },
  );

  it('or where there is no network', async () => {
    await start(false);
    vi.stubGlobal('navigator', { onLine: false });
    expect(isKept()).toBe(true);
  });
});

it('what a page had in a request as it was left waits for its lease, though the service is back before', async () => {
  answer = () => answered(503);
  const tab = await open({ random: () => 0.5 });
  track(tab, 1);
  await origin.pass(3 * 60_000, 1_000);
  let fail: (outcome: Outcome) => void = () => {};
  answer = () =>
    new Promise((resolve) => {
      fail = resolve;
    });
  while (requests.at(-1)?.text.includes('pending') !== true) {
    tab.tracker.track('pending', {}, { correlationValue: 'ada@example.com' });
    await origin.pass(1_000, 100);
  }
  const { length } = requests;
  const left = new Set(requests.at(-1)?.text.match(/"uuid":"[^"]+"/g));
  tab.view.dispatchEvent(new Event('pagehide'));
  fail(failed(true));
  await origin.pass(10);
  tab.view.dispatchEvent(new Event('pageshow'));
  answer = () => answered(200);
  const again = () =>
    requests.slice(length).some(({ text }) => [...left].some((uuid) => text.includes(uuid)));
  await origin.pass(20_000, 100);
  expect([tab.tracker.stats().delivered > 0, again()]).toEqual([true, false]);
  await origin.pass(60_000, 1_000);
  expect([tab.tracker.stats().pending, again()]).toEqual([0, true]);
});
