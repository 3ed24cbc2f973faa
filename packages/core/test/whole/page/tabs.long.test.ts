import 'fake-indexeddb/auto';
import { describe, expect, it } from 'vitest';
import { few } from '../../../../../testing/full.ts';
import { FakeOrigin } from '../../bench/fake-origin.ts';
import { killTabs, randomOf } from '../../bench/killed-tabs.ts';
import { answered, failed } from '../../bench/scripted-transport.ts';

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
