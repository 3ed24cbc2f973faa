import 'fake-indexeddb/auto';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { FakeOrigin } from '../bench/fake-origin.ts';
import { answered, failed } from '../bench/scripted-transport.ts';
import { full, keysOf } from './records.ts';

let origin: FakeOrigin;
beforeEach(() => {
  origin = new FakeOrigin();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await origin.close();
});

const parcels = async () => (await keysOf(origin.database)).filter(({ length }) => length === 6);

it('with a full quota what was delivered is deleted, though new events always wait', async () => {
  origin.respond = () => failed(false);
  const before = origin.openTab();
  await origin.pass(50);
  before.track(50);
  await origin.pass(500);
  before.kill();
  origin.respond = () => answered(200);
  full();
  const tab = origin.openTab({ random: () => 0.99 });
  for (let n = 0; n < 1_200; n += 1) {
    tab.track(1);
    await origin.pass(50, 50);
  }
  expect(await parcels()).toEqual([]);
});

it('with a full quota what was halved and delivered is deleted, though new events wait', async () => {
  origin.room = 60_000;
  const before = origin.openTab({ logger: false, batch: { maxWaitMs: 60_000 } });
  await origin.pass(50);
  before.track(10);
  void before.tracker.durable();
  await origin.pass(50);
  before.kill();
  // It takes five events at most.
  origin.respond = (events) => answered(events.length > 5 ? 413 : 200);
  full((_, value) => value !== 0);
  const tab = origin.openTab({ logger: false });
  for (let count = 0; count < 1_200; count += 1) {
    tab.track(1);
    await origin.pass(50, 50);
  }
  expect(tab.tracker.stats().delivered).toBeGreaterThan(1_000);
  expect(await parcels()).toEqual([]);
});
