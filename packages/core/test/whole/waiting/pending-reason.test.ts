import { describe, expect, it } from 'vitest';
import type { FinishOptions, FlushReport } from '../../../src/index.ts';
import { Bench, watch } from '../../bench/bench.ts';
import { answered, failed, hang } from '../../bench/scripted-transport.ts';

const SECOND = 1_000;

async function flush(bench: Bench, options: FinishOptions = { timeoutMs: SECOND }): Promise<FlushReport> {
  const flushed = watch(bench.tracker.flush(options));
  await bench.pass(2 * SECOND);
  if (flushed.value === undefined) throw new Error('flush() goes on');
  return flushed.value;
}

describe('the report of flush() says why events are pending:', () => {
  it.each([
    [401, 'unauthorized'],
    [404, 'wrong-address'],
    [308, 'wrong-address'],
  ])('the sender pauses after %d', async (status, pendingReason) => {
    const bench = new Bench();
    bench.answer(() => status);
    await bench.track(3);
    expect(await flush(bench)).toMatchObject({ delivered: 0, pending: 3, pendingReason });
    expect(bench.tracker.stats().pause).toMatchObject({ reason: pendingReason, status });
  });

  it('the service asks to wait', async () => {
    const bench = new Bench();
    bench.answer(() => answered(503, { retryAfter: '60' }));
    await bench.track(3);
    expect(await flush(bench)).toMatchObject({ pending: 3, pendingReason: 'asked' });
  });

  it('the service cannot be reached', async () => {
    const bench = new Bench({ delivery: { retryBaseMs: 1 } });
    bench.answer(() => failed(false));
    await bench.track(3);
    await bench.pass(60 * SECOND);
    expect(await flush(bench)).toMatchObject({ pending: 3, pendingReason: 'unavailable' });
  });

  it('all that is left is suspect', async () => {
    const bench = new Bench({ maxEvents: 1 });
    await bench.track(50);
    bench.refuse((n) => n === 50, 500);
    for (let second = 0; second < 60; second += 1) {
      await bench.track(1);
      await bench.pass(SECOND, 100);
    }
    expect(await flush(bench)).toMatchObject({ pending: 1, pendingReason: 'suspects' });
    bench.answer((_, request) => hang(request));
    await bench.track(1);
    expect(await flush(bench)).toMatchObject({ pending: 2, pendingReason: 'time-out' });
  });

  it('their user is not known', async () => {
    const bench = new Bench({ unidentified: { hold: true } });
    bench.tracker.track('event', {});
    bench.trackNow(2);
    expect(await flush(bench)).toMatchObject({ delivered: 2, pending: 1, pendingReason: 'unidentified' });
  });

  it('consent is pending', async () => {
    const bench = new Bench({ consent: 'pending' });
    bench.trackNow(2);
    expect(await flush(bench)).toMatchObject({ delivered: 0, pending: 2, pendingReason: 'consent' });
    bench.tracker.setConsent('granted');
    const report = await flush(bench);
    expect(report).toMatchObject({ delivered: 2, pending: 0 });
    expect(report.pendingReason).toBeUndefined();
  });

  it('there was no time', async () => {
    const bench = new Bench();
    bench.answer((_, request) => hang(request));
    await bench.track(3);
    expect(await flush(bench, { timeoutMs: 0 })).toMatchObject({ pending: 3, pendingReason: 'time-out' });
    expect(await flush(bench, { signal: AbortSignal.abort() })).toMatchObject({ pendingReason: 'time-out' });
  });
});
