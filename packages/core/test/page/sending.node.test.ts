import 'fake-indexeddb/auto';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Outcome } from '../../src/send/http/transport.ts';
import { numbersOf, watch } from '../bench/bench.ts';
import { FakeOrigin } from '../bench/fake-origin.ts';
import { answered, failed } from '../bench/scripted-transport.ts';

let origin: FakeOrigin;
beforeEach(() => {
  origin = new FakeOrigin();
});
afterEach(async () => {
  vi.unstubAllGlobals();
  await origin.close();
});

describe('with a relay', () => {
  /** @returns When the page asked for tickets. */
  function giveTickets(expiresInMs: number): number[] {
    const asked: number[] = [];
    origin.service = { relay: 'http://site.test/s' };
    vi.stubGlobal('fetch', async () => {
      asked.push(origin.clock.now());
      return Response.json({ customer: 'ada@example.com', ticket: 't', expiresInMs });
    });
    return asked;
  }

  it('a page of HTML that answers in its place takes no event', async () => {
    giveTickets(3_600_000);
    origin.respond = () => answered(200, { body: '<!doctype html><title>Log in</title>' });
    const tab = origin.openTab({ logger: false });
    tab.track(3);
    await origin.pass(3_000, 50);
    expect(tab.tracker.stats()).toMatchObject({ delivered: 0, pending: 3 });
  });

  it('tickets of five minutes are renewed in time', async () => {
    const asked = giveTickets(300_000);
    const tab = origin.openTab({ logger: false, journal: 'memory' });
    let oldestMs = 0;
    for (let minute = 0; minute < 120; minute += 1) {
      tab.track(1);
      await origin.pass(60_000, 5_000);
      oldestMs = Math.max(oldestMs, tab.tracker.stats().oldestAgeMs ?? 0);
    }
    expect(oldestMs).toBeLessThan(60_000);
    expect(asked.length).toBeLessThan(40);
  });
});

it('a page does not look again and again while a request hangs and another page wants the turn', async () => {
  let answer: (outcome: Outcome) => void = () => {};
  origin.respond = () => new Promise((resolve) => (answer = resolve));
  const options = { delivery: { maxConcurrency: 4 }, logger: false } as const;
  const tab = origin.openTab(options);
  await origin.pass(50);
  tab.track(1);
  await origin.pass(1_000, 100);
  origin.respond = () => answered(200);
  const other = origin.openTab(options);
  await origin.pass(8_000, 500);
  other.track(1);
  await origin.pass(3_000, 500);
  tab.track(1);
  const timers = vi.spyOn(origin.clock, 'setTimeout');
  for (let ms = 0; ms < 500; ms += 1) await origin.pass(1, 1);
  expect(timers.mock.calls.length).toBeLessThan(50);
  answer(answered(200));
});

it('what may have arrived does not wait for a new event that is not due', async () => {
  origin.respond = () => new Promise(() => {});
  const before = origin.openTab({
    batch: { maxWaitMs: 10, maxEvents: 2 },
    delivery: { maxConcurrency: 4 },
    logger: false,
  });
  for (let requests = 0; requests < 2; requests += 1) {
    before.track(2);
    await origin.pass(300, 50);
  }
  before.kill();
  origin.respond = () => answered(200);
  const tab = origin.openTab({ batch: { maxWaitMs: 3_600_000 }, logger: false });
  await origin.pass(100, 50);
  tab.track(1);
  await origin.pass(60_000, 1_000);
  expect(origin.received.size).toBe(5);
});

it('what may have arrived is sent again in full batches', async () => {
  origin.respond = () => new Promise(() => {});
  const before = origin.openTab({ batch: { maxWaitMs: 5_000 }, logger: false });
  await origin.pass(50);
  for (let records = 0; records < 10; records += 1) {
    before.track(1);
    await origin.pass(300, 50);
  }
  await origin.pass(5_000, 100);
  expect(origin.times).toHaveLength(1);
  before.kill();
  origin.respond = () => answered(200);
  const tab = origin.openTab({ logger: false });
  await origin.pass(60_000, 1_000);
  expect(tab.tracker.stats()).toMatchObject({ delivered: 10, pending: 0 });
  expect(origin.times).toHaveLength(2);
});

it('requests from before a doubt are no probes: they begin no pause', async () => {
  // All parcels but the third one have one event that a firewall denies.
  const isDenied = (number: number) => number % 10 === 0 && number !== 30;
  origin.respond = (events) => origin.after(200, answered(numbersOf({ events }).some(isDenied) ? 403 : 200));
  const { tracker } = origin.openTab({
    batch: { maxWaitMs: 10, maxEvents: 10 },
    delivery: { maxConcurrency: 4 },
    logger: false,
  });
  const pauses: string[] = [];
  tracker.on('paused', ({ reason }) => pauses.push(reason));
  for (let number = 1; number <= 50; number += 1) tracker.track('event', { n: number });
  await origin.pass(30_000, 50);
  expect(pauses).toEqual([]);
  expect(tracker.stats().delivered).toBeGreaterThan(40);
});

it('flush() waits for the rest of a parcel that was cut, and is being written', async () => {
  origin.respond = () => answered(200);
  const { tracker, view } = origin.openTab({ batch: { maxWaitMs: 10, maxEvents: 100 }, logger: false });
  // So the next request is a probe: one event of a hundred.
  view.dispatchEvent(new Event('offline'));
  await origin.pass(500, 50);
  for (let number = 1; number <= 100; number += 1) tracker.track('event', { number });
  const { addEventListener } = IDBTransaction.prototype;
  onTestFinished(() => {
    IDBTransaction.prototype.addEventListener = addEventListener;
  });
  IDBTransaction.prototype.addEventListener = function (type: string, listener: unknown) {
    // Storage tells late that it has written.
    const late = () => {
      let turns = 30;
      const go = () => {
        turns -= 1;
        if (turns > 0) setImmediate(go);
        else Reflect.apply(Object(listener), this, []);
      };
      go();
    };
    Reflect.apply(addEventListener, this, [type, type === 'complete' ? late : listener]);
  };
  const flushed = watch(tracker.flush({ timeoutMs: 20_000 }));
  await origin.pass(10_000, 50);
  expect(flushed.value).toMatchObject({ pending: 0 });
});

describe('two pages', () => {
  it.each(['strict', 'per-customer'] as const)(
    'go on after an outage with the order %s',
    async (ordering) => {
      let answer: (outcome: Outcome) => void = () => {};
      origin.respond = () => new Promise((resolve) => (answer = resolve));
      const options = { ordering, batch: { maxWaitMs: 500 }, logger: false } as const;
      const older = origin.openTab(options);
      await origin.pass(10);
      const newer = origin.openTab(options);
      await origin.pass(500, 50);
      // One request has events of both.
      older.track(1);
      await origin.pass(100, 10);
      newer.track(1);
      for (let waits = 0; origin.open === 0 && waits < 200; waits += 1) await origin.pass(10);
      // Meanwhile the older one has another event, which comes between them.
      older.track(1);
      await origin.pass(4_000, 100);
      origin.respond = () => answered(200);
      newer.kill();
      answer(answered(503));
      await origin.pass(3_600_000, 5_000);
      expect(older.tracker.stats()).toMatchObject({ pending: 0, delivered: 3 });
    },
  );

  it('send nothing that the other one has delivered, and cannot delete yet', async () => {
    const busy = origin.openTab({ logger: false, random: () => 1 });
    await origin.pass(100, 10);
    const other = origin.openTab({ logger: false });
    await origin.pass(6_000, 500);
    const failing = () =>
      vi.spyOn(IDBObjectStore.prototype, 'delete').mockImplementation(() => {
        throw new Error('scripted');
      });
    onTestFinished(() => void vi.restoreAllMocks());
    let requests = 0;
    origin.respond = () => {
      requests += 1;
      if (requests === 2) failing();
      return answered(requests === 1 ? 503 : 200);
    };
    busy.track(1);
    for (let waits = 0; requests < 2 && waits < 500; waits += 1) await origin.pass(10);
    other.track(1);
    await origin.pass(400, 20);
    vi.restoreAllMocks();
    await origin.pass(10_000, 100);
    expect([...origin.received.values()]).toEqual([1, 1]);
  });
});

it('nothing is sent again while consent is pending', async () => {
  let isAway = true;
  let requests = 0;
  origin.respond = () => {
    requests += 1;
    return isAway ? failed(false) : answered(200);
  };
  const tab = origin.openTab({ logger: false });
  tab.track(1);
  await origin.pass(300, 20);
  tab.tracker.setConsent('pending');
  isAway = false;
  const before = requests;
  await origin.pass(60_000, 500);
  expect([before > 0, requests - before, tab.tracker.stats().pending]).toEqual([true, 0, 1]);
  tab.tracker.setConsent('granted');
  await origin.pass(3_000, 100);
  expect(tab.tracker.stats()).toMatchObject({ pending: 0, delivered: 1 });
});
