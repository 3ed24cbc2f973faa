import 'fake-indexeddb/auto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Outcome } from '../../src/send/http/transport.ts';
import { FakeOrigin, type FakeTab } from '../bench/fake-origin.ts';
import { answered, failed } from '../bench/scripted-transport.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const blocked: Outcome = { ...failed(false), isBlocked: true } as Outcome;

let origin: FakeOrigin;
let tab: FakeTab;
/** How many events each request had. */
let sizes: number[];
let answer: Outcome;

beforeEach(() => {
  origin = new FakeOrigin();
  sizes = [];
  answer = failed(true);
  origin.respond = ({ length }) => {
    sizes.push(length);
    return answer;
  };
});

afterEach(async () => {
  vi.unstubAllGlobals();
  await origin.close();
});

function open(random: () => number = () => 1): void {
  tab = origin.openTab({ journal: 'memory', random, batch: { maxWaitMs: SECOND } });
}

const fire = (type: string) => tab.view.dispatchEvent(new Event(type));

/** Tracks one event every ten seconds. */
async function use(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 10 * SECOND) {
    tab.track(1);
    await origin.pass(10 * SECOND, 5 * SECOND);
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

describe('a page without a network', () => {
  it.each([0, 0.5, 1])(
    'asks for it at most once a minute, after a short while, for an hour (random: %s)',
    async (random) => {
      open(() => random);
      await use(HOUR);
      expect(mostInAMinute(origin.times)).toBeLessThanOrEqual(14);
      expect(mostInAMinute(origin.times, 2 * MINUTE)).toBe(1);
      expect(tab.tracker.stats()).toMatchObject({ pending: 360, delivered: 0 });
    },
  );

  it('asks with one small request once the browser says so, and after that ever more seldom', async () => {
    open();
    fire('offline');
    tab.track(2_000);
    await origin.pass(15 * SECOND, 100);
    expect(sizes.length).toBeLessThanOrEqual(4);
    expect(new Set(sizes)).toEqual(new Set([1]));
    expect(tab.tracker.stats()).toMatchObject({ pending: 2_000, delivered: 0 });
  });

  it('delivers all where there is one, whatever the browser says', async () => {
    open();
    answer = answered(200);
    fire('offline');
    tab.track(2_000);
    await origin.pass(3 * SECOND, 100);
    expect(tab.tracker.stats()).toMatchObject({ pending: 0, delivered: 2_000, breaker: 'closed' });
  });

  it('is not asked sooner where the browser says once more that there is none', async () => {
    open();
    await use(10 * MINUTE);
    const { length } = sizes;
    fire('offline');
    await origin.pass(5 * SECOND);
    expect([sizes.length, tab.tracker.stats().breaker]).toEqual([length, 'open']);
  });

  it.each([1, 60])(
    'asks at once when the browser says that it may be back, and delivers all: %i',
    async (count) => {
      open();
      tab.track(count);
      await origin.pass(10 * MINUTE, SECOND);
      expect(tab.tracker.stats().breaker).toBe('open');
      answer = answered(200);
      fire('online');
      await origin.pass(1);
      expect(tab.tracker.stats().delivered).toBeGreaterThan(0);
      await origin.pass(2 * SECOND, 100);
      expect(tab.tracker.stats()).toMatchObject({ pending: 0, delivered: count });
    },
  );

  it('asks at once when it is seen again, and not sooner than it would have otherwise after that', async () => {
    const page = { visibilityState: 'visible' };
    vi.stubGlobal('document', page);
    open();
    await use(10 * MINUTE);
    const { length } = sizes;
    fire('visibilitychange');
    await origin.pass(1);
    expect(sizes).toHaveLength(length + 1);
    fire('visibilitychange');
    await origin.pass(30 * SECOND, SECOND);
    expect(sizes).toHaveLength(length + 1);
  });

  it('asks no more than twice in a minute, and once in most, where the browser says so all the time', async () => {
    open();
    await use(10 * MINUTE);
    const from = origin.times.length;
    for (let passed = 0; passed < HOUR; passed += 5 * SECOND) {
      fire('online');
      await origin.pass(5 * SECOND, 5 * SECOND);
    }
    const times = origin.times.slice(from);
    expect(mostInAMinute(times)).toBeLessThanOrEqual(2);
    expect(times.length).toBeLessThanOrEqual(61);
  });

  it('leaves a service alone that has asked for time, whatever the browser says of the network', async () => {
    open();
    answer = answered(503, { retryAfter: '600' });
    tab.track(1);
    await origin.pass(2 * SECOND, 100);
    fire('online');
    await origin.pass(5 * MINUTE, SECOND);
    expect(sizes).toHaveLength(1);
  });
});

describe('a page whose requests are blocked', () => {
  it('becomes quiet, says why, keeps all, and delivers it once they are not', async () => {
    open();
    answer = blocked;
    await use(2 * HOUR);
    expect(tab.tracker.stats()).toMatchObject({ pause: { reason: 'blocked', status: 0 }, maybeDuplicate: 0 });
    expect(sizes.length).toBeLessThanOrEqual(2 * 4 + 6);
    answer = answered(200);
    await origin.pass(18 * MINUTE, SECOND);
    expect(tab.tracker.stats()).toMatchObject({ pending: 0, delivered: 720, pause: undefined });
  });

  it('asks when the browser says that the network may be back', async () => {
    open();
    answer = blocked;
    await use(HOUR);
    const { length } = sizes;
    fire('online');
    await origin.pass(1);
    expect(sizes).toHaveLength(length + 1);
  });
});
