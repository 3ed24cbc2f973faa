import { describe, expect, it } from 'vitest';
import { Bench } from '../../bench/bench.ts';
import { failed, hang } from '../../bench/scripted-transport.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

describe('an event that is older than it may be', () => {
  it('stays in a request that hangs', async () => {
    const bench = new Bench({ maxEvents: 2, storage: { maxAgeMs: 10 * SECOND } });
    bench.answer((_, request) => hang(request));
    await bench.track(6);
    await bench.pass(10 * SECOND + 500);
    expect(bench.tracker.stats()).toMatchObject({ dropped: { expired: 4 }, inFlight: 2, pending: 2 });
  });

  it('does not hold up later events, where its batch was to find out whether the service works', async () => {
    const bench = new Bench({ storage: { maxAgeMs: MINUTE } });
    bench.answer(() => failed(false));
    await bench.track(2);
    await bench.pass(5 * MINUTE);
    expect(bench.tracker.stats().dropped.expired).toBe(2);
    expect(bench.tracker.stats().breaker).not.toBe('closed');
    bench.answer(() => 200);
    await bench.track(1);
    await bench.pass(MINUTE);
    expect(bench.taken).toEqual([2]);
  });
});
