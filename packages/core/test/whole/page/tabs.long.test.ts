import 'fake-indexeddb/auto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { few } from '../../../../../testing/full.ts';
import { FakeOrigin } from '../../bench/fake-origin.ts';
import { killTabs, randomOf } from '../../bench/killed-tabs.ts';
import { answered, failed } from '../../bench/scripted-transport.ts';

const MINUTE_MS = 60_000;
/** With even ones, messages between tabs get lost. */
const SEEDS = few(2, [4, 11, 2, 1, 6, 3, 8, 5, 10, 7, 12, 9]);

describe('five tabs, of which one or the other is killed at any moment', () => {
  it.for(SEEDS)('lose and double nothing, seed %i', async (seed) => {
    const origin = new FakeOrigin();
    await killTabs(origin, seed);
    await origin.close();
  });
});

describe('tabs whose database somebody deletes while the service is away', () => {
  it.for([1, 2, 3])('lose nothing of what they track, and double nothing, %i of them', async (count) => {
    const origin = new FakeOrigin();
    const random = randomOf(count);
    const pick = (most: number) => Math.floor(random() * most);
    const tabs = Array.from({ length: count }, () =>
      origin.openTab({
        batch: { maxWaitMs: 100, maxEvents: 100 },
        delivery: { retryBaseMs: 20, retryMaxMs: 500 },
        random,
      }),
    );
    // Only one tab tracks. If others find its events and these are deleted, they cannot know that this tab has them in memory.
    const [tab] = tabs;
    for (let round = 0; round < 10; round += 1) {
      origin.respond = () => failed(false);
      tab?.track(300, 'x'.repeat(400));
      await origin.pass(pick(3_000), 1 + pick(50));
      tab?.track(pick(300), 'x'.repeat(400));
      for (let times = 1 + pick(2); times > 0; times -= 1) {
        indexedDB.deleteDatabase(origin.database);
        await origin.pass(pick(300), 1 + pick(50));
      }
      await origin.pass(pick(5_000), 1 + pick(50));
      origin.respond = () => answered(200);
      await origin.pass(20_000, 100);
    }
    const { accepted, delivered } = tab?.tracker.stats() ?? {};
    expect([delivered, origin.received.size]).toEqual([accepted, accepted]);
    expect(new Set(origin.received.values())).toEqual(new Set([1]));
    for (const { tracker, imbalance } of tabs) expect([tracker.stats().pending, imbalance]).toEqual([0, 0]);
    await origin.close();
  });
});

describe('tabs of one origin', () => {
  let origin: FakeOrigin;
  beforeEach(() => {
    origin = new FakeOrigin();
  });
  afterEach(() => origin.close());

  it('find the event that is refused, however slow the service, though another tab waits for its turn', async () => {
    const [first, second] = [origin.openTab(), origin.openTab()];
    origin.respond = async (events) => {
      await new Promise<void>((resolve) => origin.clock.setTimeout(resolve, 400));
      return answered(events.some(({ event }) => event === 'bad') ? 400 : 200);
    };
    first.track(250, 'good');
    first.track(1, 'bad');
    first.track(249, 'good');
    await origin.pass(100, 10);
    for (let round = 0; round < 60; round += 1) {
      second.track(1, 'good');
      await origin.pass(1_000, 50);
    }
    await origin.pass(20_000, 250);
    expect(origin.refused.size).toBe(1);
    expect(origin.received.size).toBe(559);
    // A batch is halved nine times. What one tab found out, the next one must find out again.
    expect(origin.times.length).toBeLessThan(110);
    for (const { tracker, imbalance } of [first, second])
      expect([tracker.stats().pending, imbalance]).toEqual([0, 0]);
  });

  it('ask a service that is down at most once a minute, all together', async () => {
    origin.respond = () => answered(500);
    for (let count = 0; count < 5; count += 1) origin.openTab().track(10);
    await origin.pass(15 * MINUTE_MS, 1_000);
    const before = origin.times.length;
    // A tab that opens in between asks once more: this one is the first of the 61 below.
    origin.openTab().track(10);
    await origin.pass(2_000, 1_000);
    expect(origin.times.length).toBe(before + 1);
    for (const { tracker } of origin.tabs) tracker.track('another');
    await origin.pass(60 * MINUTE_MS, 1_000);
    const asked = origin.times.slice(before);
    expect(asked.length).toBeGreaterThan(30);
    expect(asked.length).toBeLessThanOrEqual(61);
    origin.respond = () => answered(200);
    await origin.pass(3 * MINUTE_MS, 1_000);
    expect(origin.received.size).toBe(66);
    for (const tab of origin.tabs) expect([tab.tracker.stats().pending, tab.imbalance]).toEqual([0, 0]);
  });

  it('look into storage once in a while, and not again and again, where the service wants fewer requests', async () => {
    const looks = vi.spyOn(IDBObjectStore.prototype, 'getAllKeys');
    origin.respond = () => answered(origin.times.length % 3 === 0 ? 200 : 429);
    const batch = { maxEvents: 10, maxWaitMs: 100 };
    for (let count = 0; count < 3; count += 1) origin.openTab({ batch, random: () => 0.5 }).track(100);
    await origin.pass(15 * MINUTE_MS, 1_000);
    expect(origin.received.size).toBe(300);
    expect(looks.mock.calls.length).toBeLessThan(origin.times.length + 50);
    looks.mockRestore();
  });
});
