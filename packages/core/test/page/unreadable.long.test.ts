import 'fake-indexeddb/auto';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { FakeOrigin } from '../bench/fake-origin.ts';
import { answered } from '../bench/scripted-transport.ts';

let origin: FakeOrigin;
beforeEach(() => {
  origin = new FakeOrigin();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await origin.close();
});

it.each([false, true])(
  'stored events that cannot be read do not hold up others, after an outage: %s',
  async (isOutage) => {
    const before = origin.openTab({ logger: false, batch: { maxWaitMs: 60_000 } });
    await origin.pass(50);
    before.track(3);
    void before.tracker.durable();
    await origin.pass(50);
    before.kill();
    const { get } = IDBObjectStore.prototype;
    vi.spyOn(IDBObjectStore.prototype, 'get').mockImplementation(function (this: IDBObjectStore, key) {
      if (key instanceof IDBKeyRange) throw new DOMException('cannot read', 'UnknownError');
      return get.call(this, key);
    });
    origin.respond = () => answered(503);
    if (!isOutage) origin.respond = () => answered(200);
    const tab = origin.openTab({ logger: false });
    tab.track(2);
    await origin.pass(isOutage ? 120_000 : 5_000, 1_000);
    origin.respond = () => answered(200);
    await origin.pass(isOutage ? 20 * 60_000 : 5_000, 1_000);
    expect(origin.received.size).toBe(2);
  },
);
