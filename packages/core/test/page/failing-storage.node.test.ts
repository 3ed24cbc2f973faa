import 'fake-indexeddb/auto';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { FakeChannel, FakeOrigin, type FakeTab } from '../bench/fake-origin.ts';
import { FakeStorage } from '../bench/fake-storage.ts';
import { answered, failed } from '../bench/scripted-transport.ts';
import { full, keysOf } from './records.ts';

const [ada, bob, cy] = ['ada@example.com', 'bob@example.com', 'cy@example.com'];
let origin: FakeOrigin;
let customers: Map<number, string>;
const take = (_: unknown, { body }: { readonly body: Uint8Array }) => {
  for (const { payload, correlationValue } of JSON.parse(new TextDecoder().decode(body)).batch)
    customers.set(payload.number, correlationValue);
  return answered(200);
};
beforeEach(() => {
  origin = new FakeOrigin();
  origin.customer = undefined;
  customers = new Map();
  origin.respond = take as never;
});
afterEach(async () => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  await origin.close();
});

const received = () => [...origin.received.values()];
const parcels = async () => (await keysOf(origin.database)).filter(({ length }) => length === 6);
const fire = (tab: FakeTab, type: string) => tab.view.dispatchEvent(new Event(type));
const spilled = () => Object.keys(localStorage).filter((name) => name.startsWith(`${origin.database} [`));
const readOnly = () => [
  full(() => true),
  vi.spyOn(IDBObjectStore.prototype, 'delete').mockImplementation(() => {
    throw new DOMException('full', 'QuotaExceededError');
  }),
];
const unlisted = () =>
  vi.spyOn(IDBObjectStore.prototype, 'getAllKeys').mockImplementation(() => {
    throw new DOMException('scripted', 'UnknownError');
  });
/** A page left 50 events of ada. */
async function left(count = 50): Promise<void> {
  origin.customer = ada;
  origin.respond = () => failed(false);
  const before = origin.openTab();
  await origin.pass(50);
  before.track(count);
  await origin.pass(500);
  before.kill();
  origin.respond = take as never;
}
const deleteDatabase = () =>
  new Promise((resolve) => {
    indexedDB.deleteDatabase(origin.database).onsuccess = resolve;
  });

it('sends held events with their customer, though there was no room to store who that is', async () => {
  const before = origin.openTab();
  await origin.pass(50);
  before.track(3);
  await origin.pass(500);
  before.kill();
  const tab = origin.openTab();
  await origin.pass(50);
  const failing = full();
  tab.tracker.identify(ada);
  await origin.pass(1_000);
  failing.mockRestore();
  await origin.pass(120_000, 1_000);
  expect([...customers.values()]).toEqual([ada, ada, ada]);
});

it('with a full quota, what was spilled does not keep pages from sending what is stored', async () => {
  vi.stubGlobal('localStorage', new FakeStorage());
  await left();
  origin.respond = () => failed(false);
  const before = origin.openTab();
  await origin.pass(50);
  const failing = full();
  before.track(5);
  fire(before, 'pagehide');
  await origin.pass(50);
  before.kill();
  expect(spilled()).toHaveLength(1);
  origin.respond = take as never;
  const tab = origin.openTab();
  tab.track(1);
  await origin.pass(600_000, 5_000);
  expect(received().length).toBeGreaterThanOrEqual(51);
  failing.mockRestore();
});

it.each([
  ['could not be written', () => full((key) => key === 'note')],
  ['could not even be read', unlisted],
])('a customer who could not be stored is not replaced by the former one: the note %s', async (_, fail) => {
  const [one, two] = [origin.openTab(), origin.openTab()];
  one.tracker.identify(ada);
  await origin.pass(50);
  two.tracker.identify(ada);
  await origin.pass(50);
  const failing = fail();
  one.tracker.identify(bob);
  await origin.pass(500);
  failing.mockRestore();
  fire(one, 'pagehide');
  await origin.pass(50);
  fire(one, 'pageshow');
  one.tracker.track('x', { number: 5 });
  await origin.pass(5_000);
  expect([...customers.values()]).toEqual([bob]);
});

it('a customer who could not be stored does not replace the one whom another page stored since', async () => {
  const one = origin.openTab();
  one.tracker.identify(ada);
  await origin.pass(50);
  const failing = full((key) => key === 'note');
  one.tracker.identify(bob);
  await origin.pass(500);
  failing.mockRestore();
  fire(one, 'pagehide');
  const two = origin.openTab();
  two.tracker.reset();
  two.tracker.identify(cy);
  await origin.pass(500);
  fire(two, 'pagehide');
  fire(one, 'pageshow');
  await origin.pass(500);
  fire(two, 'pageshow');
  await origin.pass(500);
  two.tracker.track('x', { number: 6 });
  await origin.pass(5_000);
  expect(customers.get(6)).toBe(cy);
});

it('held events survive that the database is deleted', async () => {
  const tab = origin.openTab();
  await origin.pass(50);
  tab.tracker.reset();
  await origin.pass(50);
  tab.track(3);
  await origin.pass(500);
  await deleteDatabase();
  tab.tracker.identify(ada);
  await origin.pass(1_000);
  expect(tab.tracker.stats().dropped.unidentified).toBe(0);
  expect(customers.size).toBe(3);
});

it('a page still knows its customer when it is back, though the database was deleted', async () => {
  const tab = origin.openTab();
  tab.tracker.reset();
  tab.tracker.identify(ada);
  await origin.pass(50);
  tab.track(1);
  await origin.pass(500);
  await deleteDatabase();
  fire(tab, 'pagehide');
  fire(tab, 'pageshow');
  await origin.pass(500);
  tab.tracker.track('x', { number: 77 });
  await origin.pass(5_000);
  expect([tab.tracker.stats().held, customers.get(77)]).toEqual([0, ada]);
});

it('what another page took from localStorage is not sent again by the page that comes back', async () => {
  vi.stubGlobal('localStorage', new FakeStorage());
  origin.customer = ada;
  const tab = origin.openTab({ random: () => 0.99 });
  await origin.pass(50);
  const failing = full();
  tab.track(3);
  fire(tab, 'pagehide');
  await origin.pass(20);
  failing.mockRestore();
  origin.openTab();
  await origin.pass(600, 50);
  expect(received()).toEqual([1, 1, 1]);
  fire(tab, 'pageshow');
  await origin.pass(20_000, 200);
  expect(received()).toEqual([1, 1, 1]);
});

it('a page that often comes back still spills', async () => {
  vi.stubGlobal('localStorage', new FakeStorage());
  origin.customer = ada;
  const tab = origin.openTab();
  await origin.pass(50);
  for (let n = 0; n < 12; n += 1) {
    tab.tracker.track('e', { number: n, text: 'x'.repeat(30_000) });
    fire(tab, 'pagehide');
    expect([n, spilled().length > 0]).toEqual([n, true]);
    await origin.pass(100);
    fire(tab, 'pageshow');
    await origin.pass(1_000);
  }
});

it('with a full quota, a page that is left spills also while something is to be deleted', async () => {
  vi.stubGlobal('localStorage', new FakeStorage());
  origin.customer = ada;
  const tab = origin.openTab();
  await origin.pass(50);
  tab.track(3);
  await origin.pass(50);
  readOnly();
  await origin.pass(2_000);
  tab.track(5);
  await origin.pass(50);
  origin.respond = () => failed(false);
  expect(spilled()).toEqual([]);
  fire(tab, 'pagehide');
  expect(spilled()).toHaveLength(1);
});

it('one event that does not fit does not keep others out of localStorage', async () => {
  vi.stubGlobal('localStorage', new FakeStorage());
  origin.customer = ada;
  const tab = origin.openTab({ maxEventBytes: 600_000 });
  await origin.pass(50);
  tab.tracker.track('big', { number: 1, text: 'x'.repeat(300_000) });
  tab.track(5);
  fire(tab, 'pagehide');
  expect(spilled()).toHaveLength(1);
});

it('what earlier pages left is sent, though it could not be listed as the page opened', async () => {
  await left();
  const failing = unlisted();
  origin.openTab();
  await origin.pass(100);
  failing.mockRestore();
  await origin.pass(3_600_000, 10_000);
  expect(received()).toHaveLength(50);
});

it('nothing stays stored once consent is denied, though it could not be listed at that moment', async () => {
  await left();
  const tab = origin.openTab({ consent: 'pending' });
  const failing = unlisted();
  await origin.pass(100);
  tab.tracker.setConsent('denied');
  await origin.pass(100);
  failing.mockRestore();
  await origin.pass(3_600_000, 10_000);
  expect(await parcels()).toEqual([]);
});

it('what ends while it is read takes no memory', async () => {
  await left();
  let tab: FakeTab | undefined;
  const { get } = IDBObjectStore.prototype;
  vi.spyOn(IDBObjectStore.prototype, 'get').mockImplementation(function (this: IDBObjectStore, key) {
    if (key instanceof IDBKeyRange) tab?.tracker.setConsent('denied');
    return get.call(this, key);
  });
  tab = origin.openTab();
  await origin.pass(1_000);
  expect(tab.tracker.stats()).toMatchObject({ pending: 0, memoryBytes: 0 });
});

it('what a visitor does at once is spilled, though the page is left before it could read its session', async () => {
  vi.stubGlobal('localStorage', new FakeStorage());
  const tab = origin.openTab();
  tab.track(1);
  fire(tab, 'pagehide');
  expect(spilled()).toHaveLength(1);
});

it('an answer names events by their place, also where another tab ended some of them meanwhile', async () => {
  origin.customer = ada;
  let answer = () => {};
  origin.respond = () => new Promise((resolve) => (answer = () => resolve(answered(200))));
  const tab = origin.openTab({ delivery: { classify: () => [{ index: 0 }] }, batch: { maxWaitMs: 1_000 } });
  await origin.pass(50);
  for (const name of ['a', 'b']) {
    tab.track(1, name);
    await origin.pass(300);
  }
  const [[page, number] = []] = await parcels();
  await origin.pass(1_000);
  const other = new FakeChannel(origin, origin.database);
  other.postMessage(['ended', `${page} ${number}`, 'delivered']);
  await origin.pass(10);
  answer();
  await origin.pass(500);
  // The refused one is what the other tab ended; `b` was accepted.
  expect(tab.tracker.stats()).toMatchObject({ delivered: 2, deadLettered: 0 });
});

it('letters over the limit are told once, though they cannot be deleted', async () => {
  origin.customer = ada;
  origin.respond = (events) => answered(events.some(({ event }) => event === 'bad') ? 400 : 200);
  const tab = origin.openTab({ random: () => 0.5 });
  await origin.pass(50);
  for (let n = 0; n < 5; n += 1) {
    tab.tracker.track('bad', { number: n, text: 'x'.repeat(30_000) });
    await origin.pass(2_000, 100);
    tab.track(1);
    await origin.pass(2_000, 100);
    tab.track(1);
    await origin.pass(5_000, 100);
  }
  expect(tab.tracker.stats().deadLetters.kept).toBe(5);
  tab.kill();
  let told = 0;
  const next = origin.openTab({ random: () => 0.5, deadLetters: { maxBytes: 65_536 } });
  next.tracker.on('deadLettersDropped', ({ count }) => (told += count));
  readOnly();
  for (let n = 0; n < 20; n += 1) {
    next.track(1);
    await origin.pass(2_000, 100);
  }
  expect(told).toBe(3);
});
