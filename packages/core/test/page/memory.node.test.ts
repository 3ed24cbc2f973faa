import 'fake-indexeddb/auto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FakeOrigin } from '../bench/fake-origin.ts';
import { answered } from '../bench/scripted-transport.ts';

const KIB = 1024;
const BUFFER = 128 * KIB;
const ROUNDS = 12;
const MINUTE_MS = 60_000;

let origin: FakeOrigin;

beforeEach(() => {
  origin = new FakeOrigin();
});

afterEach(() => {
  vi.restoreAllMocks();
  return origin.close();
});

/** A page with a small buffer, and events in storage that the service does not take, though it takes others. */
async function failing() {
  origin.respond = (events) => answered(events.some(({ event }) => event === 'bad') ? 500 : 200);
  const batch = { maxWaitMs: 100, maxEvents: 10 };
  const tab = origin.openTab({ buffer: { maxBytes: BUFFER }, batch, random: () => 0.5 });
  await origin.pass(50);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (let number = 0; number < 10; number += 1) tab.tracker.track('bad', { text: 'x'.repeat(KIB) });
    await origin.pass(1_000);
    tab.track(10);
    await origin.pass(MINUTE_MS);
  }
  return tab;
}

describe('what waits for its retry', () => {
  it('does not fill the buffer: there is room for new events, and all of it is sent, once', async () => {
    const { tracker } = await failing();
    const { dropped, memoryBytes, pending } = tracker.stats();
    expect(pending).toBeGreaterThanOrEqual(10 * ROUNDS);
    expect(memoryBytes).toBeLessThan(BUFFER / 2);
    expect(dropped['buffer-full']).toBe(0);
    origin.respond = () => answered(200);
    tracker.retryNow();
    await origin.pass(20_000, 200);
    expect(tracker.stats()).toMatchObject({ pending: 0, memoryBytes: 0, delivered: 20 * ROUNDS });
    expect([...origin.received.values()]).toEqual(new Array(20 * ROUNDS).fill(1));
  });

  it('is read again a second later where storage fails', async () => {
    const { tracker } = await failing();
    origin.respond = () => answered(200);
    const { transaction } = IDBDatabase.prototype;
    const broken = vi.spyOn(IDBDatabase.prototype, 'transaction').mockImplementation(() => {
      throw new DOMException('the scripted failure', 'UnknownError');
    });
    tracker.retryNow();
    await origin.pass(500, 50);
    expect(tracker.stats().stored).toBeGreaterThan(0);
    broken.mockImplementation(function (this: IDBDatabase, ...args) {
      return transaction.apply(this, args);
    });
    await origin.pass(20_000, 200);
    expect(tracker.stats()).toMatchObject({ pending: 0, delivered: 20 * ROUNDS });
  });
});
