import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../../src/send/http/transport.ts';
import { Bench, type BenchOptions } from '../../bench/bench.ts';
import { answered, failed } from '../../bench/scripted-transport.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** A service that asks for time in its first answer, and then accepts all. */
function asking(status: number, retryAfter: string, options: BenchOptions = {}): Bench {
  const bench = new Bench({ random: () => 0, ...options });
  bench.answer(() => (bench.requests === 1 ? answered(status, { retryAfter }) : 200));
  return bench;
}

describe('a service that asks for time', () => {
  it.each([429, 503])('gets the seconds that it asks for, and up to a fifth more: %d', async (status) => {
    const waits = [];
    for (const random of [0, 0.5, 1]) {
      const bench = asking(status, '30', { random: () => random });
      await bench.track(1);
      await bench.pass(40 * SECOND);
      waits.push(bench.times[1]);
      expect(bench.attemptsFailed[0]?.error.retryAfterMs).toBe(30 * SECOND);
      expect(bench.tracker.stats().delivered).toBe(1);
    }
    expect(waits).toEqual([30 * SECOND, 33 * SECOND, 36 * SECOND]);
  });

  it('gets the time until the date that it names', async () => {
    const bench = new Bench({ random: () => 0 });
    const at = bench.clock.now() + 90 * SECOND;
    const retryAfter = new Date(at).toUTCString();
    bench.answer(() => (bench.requests === 1 ? answered(429, { retryAfter }) : 200));
    await bench.track(1);
    await bench.pass(100 * SECOND);
    expect(bench.transport.times.slice(1)).toEqual([90 * SECOND]);
  });

  it.each(['0', '-5', 'soon', '', '1.5', 'Wed, 21 Oct 2015 07:28:00 GMT'])(
    'is asked again as without it where it names no time, or a past one: %j',
    async (retryAfter) => {
      const bench = new Bench({ random: () => 1 });
      bench.answer(() => answered(bench.requests < 3 ? 429 : 200, { retryAfter }));
      await bench.track(1);
      await bench.pass(10 * SECOND);
      expect(bench.times).toEqual([0, 500, 1_500]);
    },
  );

  it.each(['999999999', 'Fri, 31 Dec 9999 23:59:59 GMT'])('gets one hour at most: %s', async (retryAfter) => {
    const bench = asking(503, retryAfter);
    await bench.track(1);
    await bench.pass(2 * HOUR);
    expect(bench.times).toEqual([0, HOUR]);
  });

  it('gets no request with other events meanwhile', async () => {
    const bench = asking(429, '60', { delivery: { maxConcurrency: 4 } });
    for (let count = 0; count < 3; count += 1) await bench.track(1);
    await bench.pass(MINUTE - 3);
    expect(bench.requests).toBe(1);
    await bench.pass(3);
    expect(bench.tracker.stats().delivered).toBe(3);
  });

  it.each<[string, Outcome]>([
    ['a success', answered(200)],
    ['a failure', failed(true)],
    ['an error', answered(500)],
    ['a refusal', answered(400)],
    ['a shorter wait', answered(429, { retryAfter: '1' })],
  ])('gets all of the time, though an earlier request then ends with %s', async (_, late) => {
    const bench = new Bench({ maxEvents: 1, delivery: { maxConcurrency: 2 } });
    let answerLate = (): void => {};
    bench.answer(() => {
      if (bench.requests > 1) return bench.requests === 2 ? answered(429, { retryAfter: '60' }) : 200;
      return new Promise<Outcome>((resolve) => {
        answerLate = () => resolve(late);
      });
    });
    await bench.track(4);
    expect(bench.requests).toBe(2);
    answerLate();
    await bench.pass(MINUTE - 2);
    expect(bench.requests).toBe(2);
    await bench.pass(10 * SECOND);
    expect(bench.tracker.stats().delivered).toBe(4);
  });
});
