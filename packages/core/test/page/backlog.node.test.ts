import 'fake-indexeddb/auto';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { FakeOrigin } from '../bench/fake-origin.ts';
import { answered, failed } from '../bench/scripted-transport.ts';
import { keysOf } from './records.ts';

let origin: FakeOrigin;

beforeEach(() => {
  origin = new FakeOrigin();
});

afterEach(() => {
  vi.restoreAllMocks();
  return origin.close();
});

it('what former pages left goes first, where there is no room for all', async () => {
  origin.respond = () => failed(false);
  const storage = { maxBytes: 65_536 };
  const former = origin.openTab({ storage, logger: false });
  const tab = origin.openTab({ storage, logger: false });
  for (let number = 0; number < 30; number += 1) {
    const { tracker } = number < 15 ? former : tab;
    tracker.track('event', { number, text: 'x'.repeat(4_000) });
    await origin.pass(300, 100);
    if (number === 14) await former.close();
  }
  expect(tab.tracker.stats().recovered).toBeGreaterThan(10);
  const seen: number[] = [];
  origin.respond = (_, { body }) => {
    for (const { payload } of JSON.parse(new TextDecoder().decode(body)).batch) seen.push(payload.number);
    return answered(200);
  };
  tab.tracker.retryNow();
  await origin.pass(60_000, 500);
  expect(seen).toEqual(expect.arrayContaining([22, 23, 24, 25, 26, 27, 28, 29]));
});

it('events that a page tracks one by one share a record, also while storage fails', async () => {
  origin.respond = () => failed(false);
  const { put } = IDBObjectStore.prototype;
  const failing = vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(() => {
    throw new DOMException('scripted', 'UnknownError');
  });
  const tab = origin.openTab({ logger: false });
  await origin.pass(1_000, 100);
  for (let number = 0; number < 200; number += 1) {
    tab.track(1);
    await origin.pass(5, 5);
  }
  failing.mockImplementation(put);
  await origin.pass(120_000, 1_000);
  const records = (await keysOf(origin.database)).filter(({ length }) => length === 6);
  expect(records.reduce((sum, key) => sum + Number(key[2]), 0)).toBe(200);
  expect(records.length).toBeLessThan(50);
});

it('an event that is tracked while storage recovers is written too', async () => {
  const tab = origin.openTab({ logger: false });
  await origin.pass(1_000, 100);
  tab.track(1);
  await origin.pass(50);
  // What was delivered cannot be deleted.
  const deleting = vi.spyOn(IDBObjectStore.prototype, 'delete').mockImplementation(() => {
    throw new DOMException('scripted', 'QuotaExceededError');
  });
  await origin.pass(1_000, 100);
  expect(tab.tracker.stats()).toMatchObject({ delivered: 1, journal: 'memory' });
  deleting.mockRestore();
  const { delete: remove } = IDBObjectStore.prototype;
  vi.spyOn(IDBObjectStore.prototype, 'delete').mockImplementationOnce(function (this: IDBObjectStore, key) {
    tab.tracker.track('event', {}, { priority: 'high' });
    return remove.call(this, key);
  });
  await origin.pass(120_000, 1_000);
  expect(tab.tracker.stats()).toMatchObject({ accepted: 2, delivered: 2 });
});

it('what another page has in a request is delivered there, though consent is denied meanwhile', async () => {
  origin.respond = () => answered(429, { retryAfter: '600' });
  const sender = origin.openTab();
  sender.track(1);
  await origin.pass(1_000, 100);
  // It waits, as the service asked.
  const other = origin.openTab();
  await origin.pass(50);
  expect(other.tracker.stats()).toMatchObject({ recovered: 1, pending: 1 });
  let answer: () => void = () => {};
  origin.respond = () => new Promise((resolve) => (answer = () => resolve(answered(200))));
  sender.tracker.retryNow();
  await origin.pass(50);
  expect(sender.tracker.stats()).toMatchObject({ inFlight: 1 });
  expect(origin.open).toBe(1);
  other.tracker.setConsent('denied');
  await origin.pass(50);
  answer();
  await origin.pass(1_000, 100);
  expect(sender.tracker.stats()).toMatchObject({ delivered: 1, pending: 0, dropped: { denied: 0 } });
  expect([sender.imbalance, other.imbalance]).toEqual([0, 0]);
});
