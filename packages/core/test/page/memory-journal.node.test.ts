import 'fake-indexeddb/auto';
import { expect, it } from 'vitest';
import { PATIENCE } from '../../../../testing/patience.ts';
import { createWith, defaults } from '../../src/page/tracker.ts';
import { guards } from '../../src/parts/guards.ts';
import { FakeChannel, FakeOrigin } from '../bench/fake-origin.ts';
import { turns } from '../bench/idle-storage.ts';
import { answered } from '../bench/scripted-transport.ts';

it('a page whose journal is memory keeps to itself who its customer is', async () => {
  const origin = { channels: new Set<FakeChannel>(), losesMessage: () => false };
  const [first, second] = [0, 1].map(() =>
    createWith(
      {
        ...{ baseUrl: 'http://service.test', correlationKey: 'email', journal: 'memory' },
        transport: { post: async () => answered(200), close: async () => {} },
      },
      { ...defaults, parts: { guards } },
      { channel: (name) => new FakeChannel(origin, name) as unknown as BroadcastChannel },
    ),
  );
  second?.track('of nobody');
  first?.identify('ada@example.com');
  first?.track('of Ada');
  await expect.poll(() => first?.stats().delivered, PATIENCE).toBe(1);
  await turns(20);
  expect(second?.stats()).toMatchObject({ held: 1, delivered: 0 });
  await Promise.all([first?.close(), second?.close()]);
});

it.each(['identify', 'reset'] as const)(
  '%s() in a page whose journal is memory changes nothing in others',
  async (what) => {
    const origin = new FakeOrigin();
    origin.customer = undefined;
    const tab = origin.openTab({ logger: false });
    await origin.pass(500, 50);
    tab.track(3);
    const other = origin.openTab({ logger: false, journal: 'memory' });
    await origin.pass(500, 50);
    if (what === 'reset') other.tracker.reset();
    else other.tracker.identify('bob@example.com');
    await origin.pass(3_000, 100);
    expect(tab.tracker.stats()).toMatchObject({ held: 3, delivered: 0, dropped: { unidentified: 0 } });
    await origin.close();
  },
);
