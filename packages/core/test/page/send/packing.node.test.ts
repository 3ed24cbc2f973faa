import 'fake-indexeddb/auto';
import { afterEach, expect, it, vi } from 'vitest';
import type { Encoder } from '../../../src/send/http/transport.ts';
import { FakeOrigin } from '../../bench/fake-origin.ts';

const origin = new FakeOrigin();
afterEach(async () => {
  vi.unstubAllGlobals();
  await origin.close();
});

it('what a page was still packing as it was left was in no request: the next page sends it, once', async () => {
  const items = new Map<string, string>();
  vi.stubGlobal('localStorage', {
    getItem: (name: string) => items.get(name) ?? null,
    setItem: (name: string, text: string) => items.set(name, text),
    removeItem: (name: string) => items.delete(name),
  });
  const packing: (() => void)[] = [];
  let isSlow = false;
  const encoder: Encoder = {
    async post(body, ask) {
      if (isSlow) await new Promise<void>((resolve) => packing.push(resolve));
      return ask(body);
    },
  };
  origin.parts = { ...origin.parts, gzip: () => encoder };
  const options = { compress: true, leaving: 'once' } as const;
  const tab = origin.openTab(options, true, 'once');
  tab.track(1);
  await origin.pass(1_000, 100);
  expect(tab.tracker.stats().delivered).toBe(1);
  isSlow = true;
  tab.track(5);
  await origin.pass(1_000, 100);
  expect([packing.length, origin.received.size]).toEqual([1, 1]);
  tab.view.dispatchEvent(new Event('pagehide'));
  isSlow = false;
  const next = origin.openTab(options, true, 'once');
  await origin.pass(60_000, 1_000);
  expect(origin.received.size).toBe(6);
  expect(next.tracker.stats()).toMatchObject({ recovered: 5, delivered: 5, maybeDuplicate: 0 });
  // It comes back from the back/forward cache, and its work goes on.
  tab.view.dispatchEvent(new Event('pageshow'));
  for (const go of packing) go();
  await origin.pass(60_000, 1_000);
  expect([...origin.received.values()]).toEqual([1, 1, 1, 1, 1, 1]);
  expect(tab.tracker.stats()).toMatchObject({ pending: 0, delivered: 6 });
  expect([tab.imbalance, next.imbalance]).toEqual([0, 0]);
});

it('what a page is still packing as consent is denied is sent no more', async () => {
  const packing: (() => void)[] = [];
  const encoder: Encoder = {
    async post(body, ask) {
      await new Promise<void>((resolve) => packing.push(resolve));
      return ask(body);
    },
  };
  const denied = new FakeOrigin();
  denied.parts = { ...denied.parts, gzip: () => encoder };
  const tab = denied.openTab({ compress: true });
  tab.track(5);
  await denied.pass(1_000, 100);
  expect(packing.length).toBe(1);
  tab.tracker.setConsent('denied');
  for (const go of packing) go();
  await denied.pass(1_000, 100);
  expect(denied.received.size).toBe(0);
  expect(tab.tracker.stats()).toMatchObject({ pending: 0, dropped: { denied: 5 } });
  await denied.close();
});
