import 'fake-indexeddb/auto';
import { afterEach, expect, it, vi } from 'vitest';
import { FakeOrigin } from '../bench/fake-origin.ts';

const origin = new FakeOrigin();
afterEach(async () => {
  await origin.close();
  vi.unstubAllGlobals();
});

it('a page that waits for a ticket reads localStorage as often with much that waits as with little', async () => {
  let reads = 0;
  const items = new Map<string, string>();
  vi.stubGlobal('localStorage', {
    getItem(name: string) {
      reads += Number(name.startsWith('sluice ticket'));
      return items.get(name) ?? null;
    },
    setItem: (name: string, text: string) => items.set(name, text),
    removeItem: (name: string) => items.delete(name),
  });
  vi.stubGlobal('location', new URL('https://shop.example/'));
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')));
  origin.service = { relay: 'https://shop.example/s' };
  const tab = origin.openTab({ logger: false });
  /** How often it reads for one more event. */
  async function readsOfOne(): Promise<number> {
    const before = reads;
    tab.track(1);
    await origin.pass(300, 100);
    return reads - before;
  }
  await origin.pass(300, 100);
  const first = await readsOfOne();
  for (let number = 0; number < 200; number += 1) await readsOfOne();
  const last = await readsOfOne();
  expect(tab.tracker.stats().pending).toBe(202);
  expect(last).toBeLessThan(first * 5 + 20);
});
