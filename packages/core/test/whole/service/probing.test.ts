import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../../src/send/http/transport.ts';
import { Page } from '../../bench/page.ts';
import { answered, failed } from '../../bench/scripted-transport.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Tracks one event every `everyMs` milliseconds, for `ms` milliseconds. */
async function use(page: Page, ms: number, everyMs: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += everyMs) {
    page.track(1);
    await page.clock.advance(everyMs);
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

describe('a page without a network', () => {
  it.each([0, 0.5, 1])(
    'asks for it at most once a minute, after a short while, for four hours (random: %s)',
    async (random) => {
      const page = new Page('unordered', () => random);
      page.respond(() => failed(true));
      await use(page, 4 * HOUR, 10 * SECOND);
      const { times } = page.transport;
      expect(mostInAMinute(times)).toBeLessThanOrEqual(14);
      expect(mostInAMinute(times, 2 * MINUTE)).toBe(1);
      expect(times.length).toBeLessThanOrEqual(4 * 60 + 14);
      expect(page.counts).toMatchObject({ pending: 1_440, delivered: 0 });
    },
  );

  it('asks with one small request once the browser says so, and after that ever more seldom', async () => {
    const page = new Page();
    page.respond(() => failed(true));
    page.dispatch.offline();
    page.track(2_000);
    await page.clock.advance(15 * SECOND);
    expect(page.transport.requests.map(({ events }) => events.length)).toEqual([1, 1, 1, 1]);
    expect(page.counts).toMatchObject({ pending: 2_000, delivered: 0 });
  });

  it('delivers all where there is one, whatever the browser says', async () => {
    const page = new Page();
    page.dispatch.offline();
    page.track(2_000);
    await page.clock.advance(SECOND);
    await page.clock.advance(SECOND);
    expect(page.counts).toMatchObject({ pending: 0, delivered: 2_000 });
    expect(page.dispatch.stats.breaker).toBe('closed');
  });

  it('is not asked sooner where the browser says once more that there is none', async () => {
    const page = new Page();
    page.respond(() => failed(true));
    await use(page, 10 * MINUTE, 10 * SECOND);
    const { length } = page.transport.requests;
    page.dispatch.offline();
    await page.clock.advance(10 * SECOND);
    expect(page.transport.requests).toHaveLength(length);
    expect(page.dispatch.stats.breaker).toBe('open');
  });

  it('asks at once when the browser says that it may be back, and delivers all', async () => {
    const page = new Page();
    page.respond(() => failed(true));
    await use(page, 10 * MINUTE, 10 * SECOND);
    page.respond(() => answered(200));
    page.dispatch.online();
    await page.clock.advance(0);
    expect(page.counts.delivered).toBeGreaterThan(0);
    await page.clock.advance(2 * SECOND);
    expect(page.counts).toMatchObject({ pending: 0, delivered: 60 });
  });

  it('asks at once also where nothing waits but what failed before', async () => {
    const page = new Page('unordered', () => 1);
    page.respond(() => failed(true));
    page.track(1);
    await page.clock.advance(10 * MINUTE);
    page.respond(() => answered(200));
    page.dispatch.online();
    await page.clock.advance(0);
    expect(page.counts).toMatchObject({ pending: 0, delivered: 1 });
  });

  it('asks at once when it is seen again', async () => {
    const page = new Page();
    page.respond(() => failed(true));
    await use(page, 10 * MINUTE, 10 * SECOND);
    const { length } = page.transport.requests;
    page.dispatch.show();
    await page.clock.advance(0);
    expect(page.transport.requests).toHaveLength(length + 1);
    page.dispatch.show();
    await page.clock.advance(30 * SECOND);
    expect(page.transport.requests).toHaveLength(length + 1);
  });

  it('asks no more than twice in a minute, and once in most, where the browser says so all the time', async () => {
    const page = new Page();
    page.respond(() => failed(true));
    await use(page, 10 * MINUTE, 10 * SECOND);
    const from = page.transport.times.length;
    for (let passed = 0; passed < HOUR; passed += 5 * SECOND) {
      page.dispatch.online();
      await page.clock.advance(5 * SECOND);
    }
    const times = page.transport.times.slice(from);
    expect(mostInAMinute(times)).toBeLessThanOrEqual(2);
    expect(times.length).toBeLessThanOrEqual(61);
  });

  it('leaves a service alone that has asked for time, whatever the browser says of the network', async () => {
    const page = new Page();
    page.respond(() => answered(503, { retryAfter: '600' }));
    page.track(1);
    await page.clock.advance(2 * SECOND);
    page.dispatch.online();
    await page.clock.advance(5 * MINUTE);
    expect(page.transport.requests).toHaveLength(1);
  });
});

describe('a page whose requests are blocked', () => {
  it('becomes quiet, says why, keeps all, and delivers it once they are not', async () => {
    const page = new Page();
    page.respond(() => blocked);
    await use(page, 4 * HOUR, 10 * SECOND);
    expect(page.dispatch.stats.pause).toMatchObject({ reason: 'blocked', status: 0 });
    expect(page.transport.requests.length).toBeLessThanOrEqual(4 * 4 + 6);
    expect(page.books.maybeDuplicate).toBe(0);
    page.respond(() => answered(200));
    for (let minute = 0; minute < 18; minute += 1) await page.clock.advance(MINUTE);
    expect(page.counts).toMatchObject({ pending: 0, delivered: 1_440 });
    expect(page.dispatch.stats.pause).toBeUndefined();
  });

  it('asks when the browser says that the network may be back', async () => {
    const page = new Page();
    page.respond(() => blocked);
    await use(page, HOUR, 10 * SECOND);
    const { length } = page.transport.requests;
    page.dispatch.online();
    await page.clock.advance(0);
    expect(page.transport.requests).toHaveLength(length + 1);
  });
});
