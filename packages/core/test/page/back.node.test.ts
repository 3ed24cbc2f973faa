import 'fake-indexeddb/auto';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { FakeOrigin, type FakeTab } from '../bench/fake-origin.ts';
import { FakeStorage } from '../bench/fake-storage.ts';
import { turns } from '../bench/idle-storage.ts';
import { answered } from '../bench/scripted-transport.ts';

const NEXT = { activation: { entry: { url: 'https://shop.example/next' } } };

let origin: FakeOrigin;
let page: EventTarget & { visibilityState?: string };

beforeEach(() => {
  origin = new FakeOrigin();
  origin.room = 60_000;
  page = Object.assign(new EventTarget(), { visibilityState: 'visible' });
  vi.stubGlobal('document', page);
  vi.stubGlobal('location', { origin: 'https://shop.example' });
  vi.stubGlobal('localStorage', new FakeStorage());
  vi.stubGlobal('onpageswap', null);
});

afterEach(async () => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  await origin.close();
});

function fire(target: EventTarget, type: string, fields: object = {}): void {
  target.dispatchEvent(Object.assign(new Event(type), fields));
}

function see(tab: FakeTab, visibilityState: string): void {
  page.visibilityState = visibilityState;
  fire(tab.view, 'visibilitychange');
  fire(page, 'visibilitychange');
}

/** As in Chromium, for a page of the same origin. */
function goAway(tab: FakeTab): void {
  fire(tab.view, 'pageswap', NEXT);
  fire(tab.view, 'pagehide');
  see(tab, 'hidden');
  fire(page, 'freeze');
}

function comeBack(tab: FakeTab): void {
  fire(page, 'resume');
  see(tab, 'visible');
  fire(tab.view, 'pageshow');
}

it('a page that is back from the cache sends at once what it tracked as it was left', async () => {
  const tab = origin.openTab({ logger: false });
  await origin.pass(6_000, 100);
  tab.track(1);
  goAway(tab);
  await origin.pass(5_000, 1_000);
  comeBack(tab);
  await origin.pass(200, 10);
  expect(origin.received.size).toBe(1);
});

it('a page that is back from the cache sends what others left meanwhile, though it tracks nothing', async () => {
  const first = origin.openTab({ logger: false });
  await origin.pass(6_000, 100);
  goAway(first);
  await origin.pass(50, 10);
  see(first, 'visible');
  const second = origin.openTab({ logger: false });
  await origin.pass(2_000, 100);
  second.track(3);
  fire(second.view, 'pageswap', NEXT);
  fire(second.view, 'pagehide');
  await origin.pass(50, 10);
  second.kill();
  comeBack(first);
  await origin.pass(60_000, 1_000);
  expect([...origin.received.values()]).toEqual([1, 1, 1]);
});

it.each([60_000, 0])('an idle page sends what another one leaves (room: %i bytes)', async (room) => {
  origin.room = room;
  const idle = origin.openTab({ logger: false });
  await origin.pass(6_000, 100);
  const tab = origin.openTab({ logger: false });
  await origin.pass(6_000, 100);
  tab.track(3);
  fire(tab.view, 'pageswap', NEXT);
  fire(tab.view, 'pagehide');
  await origin.pass(50, 10);
  tab.kill();
  await origin.pass(60_000, 1_000);
  expect(idle.tracker.stats().delivered).toBe(3);
  expect([...origin.received.values()]).toEqual([1, 1, 1]);
});

it('a page that is frozen while it lists what is stored leaves the turn to others', async () => {
  const tab = origin.openTab({ logger: false });
  await origin.pass(6_000, 100);
  // The browser does not answer a frozen page.
  const { transaction } = IDBDatabase.prototype;
  let isHeld = false;
  vi.spyOn(IDBDatabase.prototype, 'transaction').mockImplementation(function (this: IDBDatabase, ...args) {
    const made = transaction.apply(this, args);
    if (isHeld || args[1] !== 'readonly') return made;
    isHeld = true;
    vi.spyOn(made, 'addEventListener').mockImplementation(() => {});
    return made;
  });
  tab.track(1);
  while (!isHeld) await origin.pass(50, 50);
  expect((await origin.locks.query()).held).toHaveLength(1);
  fire(page, 'freeze');
  await origin.pass(0);
  expect((await origin.locks.query()).held).toEqual([]);
});

it('a dead letter is kept though the browser loses what is written as the page is left', async () => {
  let answer: () => void = () => {};
  origin.respond = () => new Promise((resolve) => (answer = () => resolve(answered(200))));
  const classify = () => [{ index: 0, reason: 'bad' }];
  const tab = origin.openTab({ logger: false, delivery: { classify } });
  await origin.pass(50);
  tab.track(2);
  await origin.pass(500, 50);
  const put = vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(() => {
    throw new DOMException('the page is left', 'AbortError');
  });
  answer();
  while (tab.tracker.stats().deadLettered < 1) await turns(1);
  fire(tab.view, 'pagehide');
  await origin.pass(5, 1);
  put.mockRestore();
  fire(tab.view, 'pageshow');
  await origin.pass(70_000, 500);
  const letters: unknown[] = [];
  void (async () => {
    for await (const letter of tab.tracker.deadLetters.list()) letters.push(letter);
  })();
  await origin.pass(100);
  expect(letters).toHaveLength(1);
});

it('a page lets go of the turn as soon as the browser says that it is left', async () => {
  origin.respond = () => new Promise(() => {});
  const tab = origin.openTab({ logger: false });
  await origin.pass(50);
  tab.track(1);
  await origin.pass(500, 50);
  expect((await origin.locks.query()).held).toHaveLength(1);
  fire(tab.view, 'pageswap', NEXT);
  await origin.pass(0);
  expect((await origin.locks.query()).held).toEqual([]);
});
