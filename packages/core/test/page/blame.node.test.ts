import 'fake-indexeddb/auto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { FakeOrigin } from '../bench/fake-origin.ts';
import { randomOf } from '../bench/killed-tabs.ts';
import { answered } from '../bench/scripted-transport.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

let origin: FakeOrigin;
beforeEach(() => {
  origin = new FakeOrigin();
});
afterEach(() => origin.close());

it('an event that makes the service fail is found, though all it has to compare with is one event every ten minutes', async () => {
  origin.respond = (events) => answered(events.some(({ event }) => event === 'bad') ? 500 : 200);
  const tab = origin.openTab({ logger: false, random: randomOf(1), batch: { maxWaitMs: SECOND } });
  await origin.pass(50);
  tab.track(1, 'bad');
  const waits: number[] = [];
  const use = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 10 * MINUTE) {
      const { delivered } = tab.tracker.stats();
      tab.track(1, 'good');
      let waited = 0;
      for (; waited < 10 * MINUTE && tab.tracker.stats().delivered === delivered; waited += 5 * SECOND)
        await origin.pass(5 * SECOND, 5 * SECOND);
      waits.push(waited);
      await origin.pass(10 * MINUTE - waited, 5 * SECOND);
    }
  };
  for (let hour = 0; hour < 8 && tab.tracker.stats().suspects.length < 1; hour += 1) await use(HOUR);
  expect(tab.tracker.stats().suspects).toMatchObject([{ status: 500 }]);
  waits.length = 0;
  await use(4 * HOUR);
  expect(Math.max(...waits)).toBeLessThanOrEqual(MINUTE);
  expect(tab.tracker.stats()).toMatchObject({ pending: 1 });
});

it('in strict order a refused event is a dead letter soon after an outage of an hour', async () => {
  let isDown = true;
  origin.respond = (events) => {
    if (isDown) return answered(500);
    return answered(events.some(({ event }) => event === 'bad') ? 422 : 200);
  };
  const tab = origin.openTab({
    logger: false,
    ordering: 'strict',
    random: randomOf(1),
    batch: { maxWaitMs: SECOND },
  });
  await origin.pass(50);
  tab.track(1, 'good');
  await origin.pass(10 * SECOND, SECOND);
  tab.track(1, 'bad');
  tab.track(1, 'good');
  await origin.pass(HOUR, 5 * SECOND);
  isDown = false;
  const stats = () => tab.tracker.stats();
  let ms = 0;
  for (; ms < HOUR && stats().delivered < 1; ms += SECOND) await origin.pass(SECOND, SECOND);
  const from = ms;
  for (; ms < HOUR && stats().deadLettered < 1; ms += SECOND) await origin.pass(SECOND, SECOND);
  expect(ms - from).toBeLessThanOrEqual(2 * MINUTE);
});

it('that the service takes what it refused in an outage says nothing about events that it refuses after that', async () => {
  let isDown = true;
  origin.respond = (events) => answered(isDown || events.some(({ event }) => event === 'bad') ? 403 : 200);
  const tab = origin.openTab({ logger: false, random: randomOf(1), batch: { maxWaitMs: SECOND } });
  await origin.pass(50);
  tab.track(1, 'good');
  await origin.pass(30 * MINUTE, 5 * SECOND);
  expect(tab.tracker.stats().breaker).toBe('open');
  isDown = false;
  await origin.pass(2 * MINUTE, 5 * SECOND);
  expect(tab.tracker.stats()).toMatchObject({ delivered: 1, breaker: 'closed' });
  tab.track(1, 'bad');
  for (let passed = 0; passed < 5 * MINUTE; passed += 5 * SECOND) {
    tab.track(1, 'good');
    await origin.pass(5 * SECOND, SECOND);
  }
  expect(tab.tracker.stats()).toMatchObject({ deadLettered: 1, pending: 0 });
});

it('events that a bad deploy refused become no dead letters with one more refusal after it', async () => {
  const tab = origin.openTab({ batch: { maxEvents: 50, maxWaitMs: 0 }, logger: false, random: randomOf(1) });
  tab.track(100);
  await origin.pass(5_000, 100);
  for (const status of [500, 200]) {
    origin.respond = () => answered(status);
    if (status === 500) tab.track(1);
    await origin.pass(300_000, 1_000);
  }
  origin.respond = () => answered(400);
  for (let count = 0; count < 10; count += 1) {
    tab.track(1);
    await origin.pass(3_000, 100);
  }
  expect(tab.tracker.stats()).toMatchObject({ breaker: 'open', pending: 10 });
  // One of the service's machines is not mended yet.
  const statuses = [200, 400, 400, 400];
  origin.respond = () => answered(statuses.shift() ?? 200);
  tab.track(1);
  await origin.pass(300_000, 1_000);
  expect(tab.tracker.stats()).toMatchObject({ pending: 0, deadLettered: 0, delivered: 112 });
});
