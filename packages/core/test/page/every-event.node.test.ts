import 'fake-indexeddb/auto';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { cases } from '../../../../testing/full.ts';
import type { Outcome } from '../../src/send/http/transport.ts';
import { FakeOrigin, type FakeTab } from '../bench/fake-origin.ts';
import { answered, failed } from '../bench/scripted-transport.ts';
import { keysOf } from './records.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const { transaction } = IDBDatabase.prototype;

afterEach(() => {
  vi.restoreAllMocks();
});

/** A service that works, fails, or lets requests wait. */
class Service {
  #state: 'works' | 'fails' | 'waits' = 'works';
  #waiting: (() => void)[] = [];

  become(state: 'works' | 'fails' | 'waits'): void {
    this.#state = state;
    if (state !== 'waits') for (const wake of this.#waiting.splice(0)) wake();
  }

  async answer(): Promise<Outcome> {
    while (this.#state === 'waits') await new Promise<void>((resolve) => void this.#waiting.push(resolve));
    return this.#state === 'works' ? answered(200) : failed(false);
  }
}

const small = fc.integer({ min: 1, max: 6 });
const settings = fc.record({
  batch: small.map((maxEvents) => ({ maxEvents, maxWaitMs: 100 })),
  buffer: fc.integer({ min: 2, max: 12 }).map((maxEvents) => ({ maxEvents })),
  delivery: fc.integer({ min: 1, max: 3 }).map((maxConcurrency) => ({ maxConcurrency, retryMaxMs: 10_000 })),
});
const kind = fc.constantFrom(
  ...(['track', 'track', 'track', 'track high', 'pass', 'pass', 'pass', 'wait', 'flush', 'durable'] as const),
  ...(['fail writes', 'write', 'works', 'works', 'fails', 'waits'] as const),
);
const steps = fc.array(fc.record({ tab: fc.nat(1), kind, amount: small }), { maxLength: 60 });

function check({ tracker, imbalance }: FakeTab): void {
  const { pending, stored, inFlight, unwritten } = tracker.stats();
  expect(imbalance).toBe(0);
  for (const part of [stored, inFlight, unwritten]) expect(part).toBeLessThanOrEqual(pending);
}

describe.each([1, 2])('each event of pages, %i of them,', (count) => {
  it('is delivered once, or had no room in memory, whatever IndexedDB and the service do', async () => {
    const property = fc.asyncProperty(settings, steps, async (settings, steps) => {
      const origin = new FakeOrigin();
      const service = new Service();
      let fails = false;
      /** Another page may find what is delivered and could not be deleted. */
      let mayComeTwice = false;
      vi.spyOn(IDBDatabase.prototype, 'transaction').mockImplementation(function (
        this: IDBDatabase,
        ...args
      ) {
        if (fails && args[1] === 'readwrite') throw new DOMException('the scripted failure', 'UnknownError');
        return transaction.apply(this, args as Parameters<typeof transaction>);
      });
      origin.respond = () => service.answer();
      const tabs = Array.from({ length: count }, () => origin.openTab(settings));
      for (const { tab: index, kind, amount } of steps) {
        const tab = tabs[index % count];
        if (!tab) continue;
        if (kind === 'track') tab.track(amount);
        else if (kind === 'track high')
          for (let left = amount; left > 0; left -= 1) tab.tracker.track('event', {}, { priority: 'high' });
        else if (kind === 'pass') await origin.pass(amount, amount);
        else if (kind === 'wait') await origin.pass(amount * SECOND, 200);
        else if (kind === 'flush') void tab.tracker.flush({ timeoutMs: amount * 100 });
        else if (kind === 'durable') void tab.tracker.durable().catch(() => undefined);
        else if (kind === 'fail writes' || kind === 'write') fails = kind === 'fail writes';
        else service.become(kind);
        mayComeTwice ||= fails && count > 1;
        for (const tab of tabs) check(tab);
      }
      fails = false;
      service.become('works');
      await origin.pass(6 * MINUTE, 5 * SECOND);
      const dropped = tabs.map(({ tracker }) => tracker.stats().dropped);
      const full = dropped.reduce((sum, reasons) => sum + reasons['buffer-full'], 0);
      const lost = dropped
        .flatMap((reasons) => Object.values(reasons))
        .reduce((sum, count) => sum + count, 0);
      const accepted = tabs.reduce((sum, { tracker }) => sum + tracker.stats().accepted, 0);
      expect([origin.received.size + full, lost]).toEqual([accepted, full]);
      const most = Math.max(0, ...origin.received.values());
      if (!mayComeTwice) expect(most).toBeLessThanOrEqual(1);
      for (const tab of tabs) {
        check(tab);
        expect(tab.tracker.stats()).toMatchObject({ pending: 0, memoryBytes: 0, journalBytes: 0 });
      }
      expect((await keysOf(origin.database)).filter(({ length }) => length === 6)).toEqual([]);
      await origin.close();
    });
    await fc.assert(property, { numRuns: cases(100, 12) });
  });
});
