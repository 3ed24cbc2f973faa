import { describe, expect, it } from 'vitest';
import { Bench, range, sorted } from '../../bench/bench.ts';
import { failed } from '../../bench/scripted-transport.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** How many different bodies were sent. */
function bodies({ transport }: Bench): number {
  return new Set(transport.requests.map(({ text }) => text)).size;
}

describe('a request that fails', () => {
  it.each([408, 425, 429, 500, 502, 503, 504, 507, 599])(
    'is repeated with the same bytes, later and later, until the service accepts it: %d',
    async (status) => {
      const bench = new Bench({ random: () => 1 });
      bench.answer(() => (bench.requests < 4 ? status : 200));
      await bench.track(3);
      await bench.pass(10 * SECOND);
      expect(bench.times).toEqual([0, 500, 1_500, 3_500]);
      expect(bodies(bench)).toBe(1);
      // With these statuses, the service itself says that it did not take the events. With others, such as 502, it may have.
      const maybeDuplicate = [425, 429, 503].includes(status) ? 0 : 9;
      expect(bench.tracker.stats()).toMatchObject({ delivered: 3, deadLettered: 0, maybeDuplicate });
      expect(bench.attemptsFailed.map(({ error }) => error.status)).toEqual([status, status, status]);
      expect(bench.attemptsFailed.every(({ error }) => error.retryable)).toBe(true);
      expect(bench.clock.timers).toBe(0);
    },
  );

  it.each([0, 100, 1_000, 60_000])(
    'is repeated in time though the clock is set back by an hour, %d ms after it failed first, and nothing else is tracked',
    async (ms) => {
      const bench = new Bench({ random: () => 1 });
      bench.answer(() => 500);
      await bench.track(1);
      await bench.pass(ms);
      bench.time.skewMs = -HOUR;
      void bench.tracker.flush({ timeoutMs: 10 });
      await bench.pass(100);
      bench.answer(() => 200);
      await bench.pass(2 * MINUTE);
      expect(bench.tracker.stats()).toMatchObject({ delivered: 1, pending: 0 });
    },
  );

  it('counts no duplicates where it did not reach the service', async () => {
    const bench = new Bench({ random: () => 1 });
    bench.answer(() => (bench.requests < 3 ? failed(false) : 200));
    await bench.track(3);
    await bench.pass(10 * SECOND);
    expect(bench.times).toEqual([0, 500, 1_500]);
    expect(bench.tracker.stats()).toMatchObject({ delivered: 3, maybeDuplicate: 0 });
    expect(bench.attemptsFailed[0]?.error).toMatchObject({
      ...{ code: 'SLUICE_DELIVERY', retryable: true, status: undefined },
      message: expect.stringContaining('no connection'),
    });
  });

  it('counts its events as possible duplicates each time that the service may have them', async () => {
    const bench = new Bench();
    bench.answer(() => (bench.requests < 3 ? failed(true) : 200));
    await bench.track(3);
    await bench.pass(10 * SECOND);
    expect(bodies(bench)).toBe(1);
    expect(bench.tracker.stats()).toMatchObject({ delivered: 3, maybeDuplicate: 6 });
  });

  it('may have reached the service where the transport rejects or throws', async () => {
    const bench = new Bench();
    bench.transport.post = () => Promise.reject(new Error('broken promise'));
    await bench.track(2);
    expect(bench.attemptsFailed[0]?.error.message).toContain('broken promise');
    expect(bench.tracker.stats().maybeDuplicate).toBe(2);
    bench.transport.post = () => {
      throw new Error('broken at once');
    };
    await bench.pass(600);
    expect(bench.attemptsFailed[1]?.error.message).toContain('broken at once');
    expect(bench.tracker.stats()).toMatchObject({ pending: 2, maybeDuplicate: 4 });
  });

  it.each<[string, unknown]>([
    ['undefined', undefined],
    ['a symbol', Symbol('cause')],
    ['an object that cannot be shown', Object.create(null)],
  ])('is repeated where its cause is no error: %s', async (_, cause) => {
    const bench = new Bench();
    bench.answer(() => (bench.requests < 2 ? { kind: 'failed', cause, maybeSent: false } : 200));
    await bench.track(1);
    await bench.pass(SECOND);
    expect(bench.attemptsFailed).toHaveLength(1);
    expect(bench.tracker.stats().delivered).toBe(1);
  });

  it('waits for a random part of the longest wait, so that many trackers do not come back together', async () => {
    const bench = new Bench({ random: () => 0.25 });
    bench.answer(() => (bench.requests < 4 ? 500 : 200));
    await bench.track(1);
    await bench.pass(10 * SECOND);
    expect(bench.times).toEqual([0, 125, 375, 875]);
  });

  it('is repeated about once a minute during a long outage, and loses no event', async () => {
    const bench = new Bench({ random: () => 1, maxEvents: 10, delivery: { maxConcurrency: 4 } });
    bench.answer(() => 500);
    await bench.track(100);
    await bench.pass(4 * HOUR, MINUTE);
    const { times } = bench;
    const waits = times.slice(1).map((at, index) => at - (times[index] ?? 0));
    expect(Math.max(...waits)).toBeLessThanOrEqual(1.5 * MINUTE);
    expect(Math.min(...waits.slice(20))).toBeGreaterThanOrEqual(MINUTE);
    expect(bench.tracker.stats()).toMatchObject({ delivered: 0, deadLettered: 0, pending: 100 });
    bench.answer(() => 200);
    await bench.pass(2 * MINUTE);
    expect(sorted(bench.taken)).toEqual(range(0, 100));
    expect(bench.tracker.stats().pending).toBe(0);
    expect(bench.clock.timers).toBe(0);
  });
});

describe('a service of which one request in five fails', () => {
  /** After `mend()`, no request fails. */
  function failSome(bench: Bench): { mend(): void } {
    let isMended = false;
    bench.answer(() => (!isMended && bench.requests % 5 === 0 ? 500 : 200));
    return {
      mend: () => {
        isMended = true;
      },
    };
  }

  async function trackFor(bench: Bench, seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second += 1) {
      bench.trackNow(10);
      await bench.pass(SECOND, 100);
    }
  }

  it('gets all events, and no more requests than its failures make necessary', async () => {
    const bench = new Bench({ maxEvents: 5, delivery: { maxConcurrency: 2 } });
    failSome(bench);
    await trackFor(bench, 100);
    await bench.pass(10 * SECOND);
    const { requests } = bench.tracker.stats();
    expect(sorted(bench.taken)).toEqual(range(0, 1_000));
    expect(requests.sent).toBe(200 + requests.failed);
    // A retry sends a body that was sent before.
    expect(bench.requests - bodies(bench)).toBe(requests.retried);
    expect(bench.clock.timers).toBe(0);
  });
});
