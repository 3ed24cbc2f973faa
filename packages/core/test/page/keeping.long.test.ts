import 'fake-indexeddb/auto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
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

const received = () => [...origin.received.values()];

describe('a page whose browser fails to store', () => {
  it('sends nothing again that it could not delete, though others are stored meanwhile', async () => {
    origin.respond = () => failed(false);
    const before = origin.openTab();
    await origin.pass(50);
    before.track(10);
    await before.tracker.durable();
    await before.tracker.close({ timeoutMs: 0 });
    origin.respond = () => answered(200);
    const tab = origin.openTab();
    const full = new DOMException('the scripted failure', 'QuotaExceededError');
    const { delete: remove } = IDBObjectStore.prototype;
    const failing = vi.spyOn(IDBObjectStore.prototype, 'delete').mockImplementation(function (
      this: IDBObjectStore,
      key,
    ) {
      const { transaction } = this;
      vi.spyOn(transaction, 'error', 'get').mockReturnValue(full);
      transaction.commit = () => {
        queueMicrotask(() => {
          // Written while the deletion still may succeed.
          tab.track(1);
          void tab.tracker.durable().catch(() => {});
          transaction.abort();
        });
      };
      return remove.call(this, key);
    });
    // Longer than the lease of the request.
    await origin.pass(60_000, 500);
    failing.mockRestore();
    await origin.pass(120_000, 1_000);
    expect(received().every((count) => count === 1)).toBe(true);
    expect(tab.tracker.stats()).toMatchObject({ delivered: received().length, pending: 0 });
    expect(await keysOf(origin.database)).toEqual([]);
  });
});

describe('a parcel of which a part ended', () => {
  it('is there in parts, or as a whole, never twice and never not at all, wherever the page ends', async () => {
    for (let ms = 100; ms < 1_300; ms += 60) {
      origin = new FakeOrigin();
      const isBad = ({ event }: { event: string }) => event === 'bad';
      origin.respond = (events) => answered(events.some(isBad) ? 400 : 200);
      const tab = origin.openTab({ delivery: { maxConcurrency: 1, retryBaseMs: 20, retryMaxMs: 50 } });
      tab.track(20, 'good');
      tab.track(1, 'bad');
      tab.track(20, 'good');
      await origin.pass(ms, 10);
      tab.kill();
      origin.openTab();
      await origin.pass(120_000, 500);
      expect([ms, origin.received.size, origin.refused.size]).toEqual([ms, 40, 1]);
      // What was accepted and not deleted yet.
      expect(received().filter((times) => times > 2)).toEqual([]);
    }
  });
});
