import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../../src/send/http/transport.ts';
import { Device } from '../../bench/device.ts';
import { answered, failed } from '../../bench/scripted-transport.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Tracks one event every `everyMs` milliseconds, for `ms` milliseconds. */
async function use(device: Device, ms: number, everyMs: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += everyMs) {
    device.track(1);
    await device.clock.advance(everyMs);
  }
}

/** The most requests in one minute, from a moment on. */
function mostInAMinute(times: readonly number[], from = 0): number {
  const later = times.filter((at) => at >= from);
  return Math.max(
    0,
    ...later.map((at) => later.filter((other) => other >= at && other < at + MINUTE).length),
  );
}

const blocked: Outcome = { ...failed(false), isBlocked: true } as Outcome;

describe('a device without a network', () => {
  it.each([0, 0.5, 1])(
    'asks for it at most once a minute, after a short while, for four hours (random: %s)',
    async (random) => {
      const device = new Device(() => random);
      device.respond(() => failed(true));
      await use(device, 4 * HOUR, 10 * SECOND);
      const { times } = device.transport;
      expect(mostInAMinute(times)).toBeLessThanOrEqual(14);
      expect(mostInAMinute(times, 2 * MINUTE)).toBe(1);
      expect(times.length).toBeLessThanOrEqual(4 * 60 + 14);
      expect(device.counts).toMatchObject({ pending: 1_440, delivered: 0 });
    },
  );

  it('asks with one small request once the system says so, and after that ever more seldom', async () => {
    const device = new Device();
    device.respond(() => failed(true));
    device.dispatch.offline();
    device.track(2_000);
    await device.clock.advance(15 * SECOND);
    expect(device.transport.requests.map(({ events }) => events.length)).toEqual([1, 1, 1, 1]);
    expect(device.counts).toMatchObject({ pending: 2_000, delivered: 0 });
  });

  it('delivers all where there is one, whatever the system says', async () => {
    const device = new Device();
    device.dispatch.offline();
    device.track(2_000);
    await device.clock.advance(SECOND);
    await device.clock.advance(SECOND);
    expect(device.counts).toMatchObject({ pending: 0, delivered: 2_000 });
    expect(device.dispatch.stats.breaker).toBe('closed');
  });

  it('is not asked sooner where the system says once more that there is none', async () => {
    const device = new Device();
    device.respond(() => failed(true));
    await use(device, 10 * MINUTE, 10 * SECOND);
    const { length } = device.transport.requests;
    device.dispatch.offline();
    await device.clock.advance(10 * SECOND);
    expect(device.transport.requests).toHaveLength(length);
    expect(device.dispatch.stats.breaker).toBe('open');
  });

  it('asks at once when the system says that it may be back, and delivers all', async () => {
    const device = new Device();
    device.respond(() => failed(true));
    await use(device, 10 * MINUTE, 10 * SECOND);
    device.respond(() => answered(200));
    device.dispatch.online();
    await device.clock.advance(0);
    expect(device.counts.delivered).toBeGreaterThan(0);
    await device.clock.advance(2 * SECOND);
    expect(device.counts).toMatchObject({ pending: 0, delivered: 60 });
  });

  it('asks at once also where nothing waits but what failed before', async () => {
    const device = new Device(() => 1);
    device.respond(() => failed(true));
    device.track(1);
    await device.clock.advance(10 * MINUTE);
    device.respond(() => answered(200));
    device.dispatch.online();
    await device.clock.advance(0);
    expect(device.counts).toMatchObject({ pending: 0, delivered: 1 });
  });

  it('asks at once when it is seen again', async () => {
    const device = new Device();
    device.respond(() => failed(true));
    await use(device, 10 * MINUTE, 10 * SECOND);
    const { length } = device.transport.requests;
    device.dispatch.show();
    await device.clock.advance(0);
    expect(device.transport.requests).toHaveLength(length + 1);
    device.dispatch.show();
    await device.clock.advance(30 * SECOND);
    expect(device.transport.requests).toHaveLength(length + 1);
  });

  it('asks no more than twice in a minute, and once in most, where the system says so all the time', async () => {
    const device = new Device();
    device.respond(() => failed(true));
    await use(device, 10 * MINUTE, 10 * SECOND);
    const from = device.transport.times.length;
    for (let passed = 0; passed < HOUR; passed += 5 * SECOND) {
      device.dispatch.online();
      await device.clock.advance(5 * SECOND);
    }
    const times = device.transport.times.slice(from);
    expect(mostInAMinute(times)).toBeLessThanOrEqual(2);
    expect(times.length).toBeLessThanOrEqual(61);
  });

  it('leaves a service alone that has asked for time, whatever the system says of the network', async () => {
    const device = new Device();
    device.respond(() => answered(503, { retryAfter: '600' }));
    device.track(1);
    await device.clock.advance(2 * SECOND);
    device.dispatch.online();
    await device.clock.advance(5 * MINUTE);
    expect(device.transport.requests).toHaveLength(1);
  });
});

describe('a device whose requests are blocked', () => {
  it('becomes quiet, says why, keeps all, and delivers it once they are not', async () => {
    const device = new Device();
    device.respond(() => blocked);
    await use(device, 4 * HOUR, 10 * SECOND);
    expect(device.dispatch.stats.pause).toMatchObject({ reason: 'blocked', status: 0 });
    expect(device.transport.requests.length).toBeLessThanOrEqual(4 * 4 + 6);
    expect(device.books.maybeDuplicate).toBe(0);
    device.respond(() => answered(200));
    for (let minute = 0; minute < 18; minute += 1) await device.clock.advance(MINUTE);
    expect(device.counts).toMatchObject({ pending: 0, delivered: 1_440 });
    expect(device.dispatch.stats.pause).toBeUndefined();
  });

  it('asks when the system says that the network may be back', async () => {
    const device = new Device();
    device.respond(() => blocked);
    await use(device, HOUR, 10 * SECOND);
    const { length } = device.transport.requests;
    device.dispatch.online();
    await device.clock.advance(0);
    expect(device.transport.requests).toHaveLength(length + 1);
  });
});
