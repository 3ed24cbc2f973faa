import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../../src/send/http/transport.ts';
import { Bench, range, sorted } from '../../bench/bench.ts';
import { answered } from '../../bench/scripted-transport.ts';

const MINUTE = 60_000;
/** Minutes after which the service is asked again. */
const PROBES = [0, 1, 3, 7, 15, 30, 45, 60, 75, 90, 105, 120, 135];
/** After these answers one event may be at fault: before it pauses, the sender tries three others. */
const PROBES_OF_OTHERS = [0, 0, 0, ...PROBES];

describe('a service that refuses the key or the address', () => {
  it.each([
    { status: 401, minutes: PROBES, reason: 'unauthorized' },
    { status: 403, minutes: PROBES_OF_OTHERS, reason: 'unauthorized' },
    ...[301, 302, 307, 308].map((status) => ({ status, minutes: PROBES, reason: 'wrong-address' })),
    ...[404, 405, 410].map((status) => ({ status, minutes: PROBES_OF_OTHERS, reason: 'wrong-address' })),
  ])('is asked again after minutes $minutes with various events: $status', async (given) => {
    const { status, minutes, reason } = given;
    const bench = new Bench({ maxEvents: 10, random: () => 0 });
    let resumed = 0;
    bench.tracker.on('resumed', () => {
      resumed += 1;
    });
    bench.answer(() => status);
    await bench.track(100);
    await bench.pass(136 * MINUTE);
    expect(bench.times.map((at) => at / MINUTE)).toEqual(minutes);
    expect(bench.pauses).toHaveLength(PROBES.length);
    expect(bench.tracker.stats().pause).toMatchObject({ reason, status });
    // Probes also send other batches: the answers may be about the events of one batch.
    const asked = new Set(bench.transport.requests.map(({ text }) => text));
    expect(asked.size).toBeGreaterThanOrEqual(Math.floor(minutes.length / 2));
    expect(bench.tracker.stats()).toMatchObject({ delivered: 0, deadLettered: 0, pending: 100 });
    expect(bench.attemptsFailed[0]?.error).toMatchObject({ status, retryable: true });
    bench.answer(() => 200);
    await bench.pass(60 * MINUTE);
    expect(sorted(bench.taken)).toEqual(range(0, 100));
    expect([resumed, bench.tracker.stats().pause]).toEqual([1, undefined]);
  });

  it('is asked with an event that was never refused, if there is one', async () => {
    const bench = new Bench({ maxEvents: 1, random: () => 0 });
    bench.answer(() => 401);
    await bench.track(1);
    await bench.pass(30_000);
    // The key is right again, and a firewall refuses the first event.
    bench.answer((events) => (events.includes(0) ? 403 : 200));
    await bench.track(1);
    await bench.pass(MINUTE);
    expect(bench.taken).toEqual([1]);
  });

  it('is asked at once with a new key, though all that waits was refused with the old one', async () => {
    const bench = new Bench({ random: () => 0 });
    bench.answer((_, { headers }) => (headers.authorization?.includes('second') ? 200 : 401));
    await bench.track(1);
    const [lastProbe = 0] = PROBES.slice(-1);
    await bench.pass(lastProbe * MINUTE);
    bench.tracker.setApiKey('second');
    await bench.quiet();
    expect(bench.taken).toEqual([0]);
  });

  it('is asked at once where a listener sets a new key as soon as it hears of the pause', async () => {
    const bench = new Bench();
    bench.answer((_, { headers }) => (headers.authorization?.includes('second') ? 200 : 401));
    bench.tracker.on('paused', () => bench.tracker.setApiKey('second'));
    await bench.track(3);
    expect(sorted(bench.taken)).toEqual(range(0, 3));
    expect(bench.pauses).toHaveLength(1);
  });

  it('causes one pause, where it says so to several requests at the same time', async () => {
    const bench = new Bench({ maxEvents: 10, random: () => 0, delivery: { maxConcurrency: 4 } });
    const start = bench.clock.now();
    const answers: (() => void)[] = [];
    bench.answer(() => new Promise<Outcome>((resolve) => void answers.push(() => resolve(answered(401)))));
    await bench.track(100);
    expect(answers).toHaveLength(4);
    bench.answer(() => 401);
    for (const answer of answers) answer();
    await bench.quiet();
    expect(bench.pauses).toHaveLength(1);
    const until = (bench.pauses[0]?.until ?? 0) - start;
    await bench.pass(4 * MINUTE);
    expect(bench.transport.times.slice(4)).toEqual([until, until + 2 * MINUTE]);
  });

  it('is asked again after one minute, where it worked since the last pause', async () => {
    const bench = new Bench({ maxEvents: 1, random: () => 0 });
    bench.answer(() => 401);
    await bench.track(1);
    await bench.pass(4 * MINUTE);
    bench.answer(() => 200);
    await bench.pass(4 * MINUTE);
    expect(bench.taken).toEqual([0]);
    bench.answer(() => 401);
    const before = bench.requests;
    // The service accepted other events: it takes several answers to show that the event is not the cause.
    await bench.track(5);
    await bench.pass(MINUTE);
    await bench.pass(10 * MINUTE);
    const waits = bench.times.slice(before).map((at, index, times) => at - (times[index - 1] ?? at));
    expect(waits.filter((ms) => ms >= MINUTE)).toEqual(
      [MINUTE, 2 * MINUTE, 4 * MINUTE].slice(0, waits.filter((ms) => ms >= MINUTE).length),
    );
    expect(bench.tracker.stats().pause).toMatchObject({ reason: 'unauthorized', status: 401 });
  });

  it('is asked again up to a fifth later, so that many trackers do not come back together', async () => {
    const bench = new Bench({ random: () => 1 });
    bench.answer(() => 401);
    await bench.track(1);
    await bench.pass(35 * MINUTE);
    expect(bench.times.map((at) => at / MINUTE)).toEqual([0, 1.2, 3.6, 8.4, 18, 33]);
  });
});
