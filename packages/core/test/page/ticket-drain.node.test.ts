import 'fake-indexeddb/auto';
import { systemClock } from '@sluice/protocol/toolbox';
import { afterEach, expect, it, vi } from 'vitest';
import { relayDrain } from '../../src/page/relay-drain.ts';
import { drain } from '../../src/page/service-worker.ts';
import { FakeLocks } from '../bench/fake-locks.ts';
import { FakeOrigin } from '../bench/fake-origin.ts';

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

it('a service worker does not hold the lock of the pages for a relay that never answers for a ticket', async () => {
  const origin = new FakeOrigin();
  origin.service = { relay: 'https://shop.example/s' };
  vi.stubGlobal('location', new URL('https://shop.example/'));
  let asked = 0;
  vi.stubGlobal('fetch', () => {
    asked += 1;
    return new Promise(() => {});
  });
  const tab = origin.openTab();
  tab.track(3);
  await origin.pass(1_000, 100);
  tab.kill();
  const locks = new FakeLocks();
  vi.stubGlobal('navigator', { locks });
  // A minute passes in 0.6 s.
  const { setTimeout } = systemClock;
  vi.spyOn(systemClock, 'setTimeout').mockImplementation((callback, ms) => setTimeout(callback, ms / 100));
  const relay = { relay: 'https://shop.example/s', correlationKey: 'email', account: origin.name };
  const ended = drain({ ...relay, parts: { relayDrain } }).catch(String);
  const minute = new Promise((resolve) => setTimeout(() => resolve('it works for ever'), 600, true));
  expect(await Promise.race([ended, minute])).toBe('Error: the service did not answer');
  expect(asked).toBe(2);
  expect((await locks.query()).held).toEqual([]);
});
