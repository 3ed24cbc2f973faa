import { describe, expect, it } from 'vitest';
import { Breaker } from '../src/breaker.ts';
import { Gate, type Pass } from '../src/gate.ts';
import { RateLimit } from '../src/rate-limit.ts';
import type { Pause } from '../src/stats.ts';
import { settle, VirtualClock } from './virtual-clock.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

interface Bench {
  readonly clock: VirtualClock;
  readonly breaker: Breaker;
  readonly rateLimit: RateLimit;
  readonly gate: Gate;
  readonly pauses: Pause[];
  readonly resumed: () => number;
  readonly changes: () => number;
  /** Asks for a request; its pass is there once it may be made. */
  readonly ask: (options?: { events?: number; isRetry?: boolean; signal?: AbortSignal }) => Asked;
  /** Makes a request, which has to be admitted at once. */
  readonly make: () => Promise<Pass>;
}

interface Asked {
  pass?: Pass;
  isOver: boolean;
}

const never = new AbortController().signal;

function createBench(
  options: { concurrency?: number; random?: () => number; perSuccess?: number } = {},
): Bench {
  const { concurrency = 4, random = () => 1, perSuccess = 0.1 } = options;
  const clock = new VirtualClock();
  const breaker = new Breaker(clock, () => {});
  const rateLimit = new RateLimit(() => {});
  const pauses: Pause[] = [];
  let resumed = 0;
  let changes = 0;
  const gate = new Gate({
    ...{ clock, random, breaker, rateLimit, concurrency, backoff: { baseMs: 500, maxMs: MINUTE } },
    retriesPerSuccess: perSuccess,
    onPaused: (pause) => pauses.push(pause),
    onResumed: () => {
      resumed += 1;
    },
    onChange: () => {
      changes += 1;
    },
  });
  const ask: Bench['ask'] = ({ events = 1, isRetry = false, signal = never } = {}) => {
    const asked: Asked = { isOver: false };
    void gate.admit(events, isRetry, signal).then((pass) => {
      asked.isOver = true;
      if (pass !== undefined) asked.pass = pass;
    });
    return asked;
  };
  const make = async (): Promise<Pass> => {
    const asked = ask();
    await settle();
    if (asked.pass === undefined) throw new Error('the request was not admitted');
    return asked.pass;
  };
  return {
    clock,
    breaker,
    rateLimit,
    gate,
    pauses,
    resumed: () => resumed,
    changes: () => changes,
    ask,
    make,
  };
}

function admitted(asked: readonly Asked[]): boolean[] {
  return asked.map(({ pass }) => pass !== undefined);
}

describe('Gate', () => {
  it('admits as many requests at once as it may, and the next as one ends', async () => {
    const { gate, ask } = createBench({ concurrency: 2 });
    const asked = [ask(), ask(), ask(), ask()];
    await settle();
    expect(admitted(asked)).toEqual([true, true, false, false]);
    gate.end();
    await settle();
    expect(admitted(asked)).toEqual([true, true, true, false]);
  });

  it('admits none whose signal aborts, wherever it waits', async () => {
    const { clock, gate, breaker, rateLimit, ask, make } = createBench({ concurrency: 1, perSuccess: 0 });
    const ends = new AbortController();
    await make();
    const forPlace = ask({ signal: ends.signal });
    rateLimit.accepted(clock.now());
    rateLimit.pushedBack(clock.now(), clock.now());
    const forRate = ask({ signal: ends.signal });
    breaker.open(MINUTE);
    const forBreaker = ask({ signal: ends.signal });
    await settle();
    ends.abort();
    await settle();
    for (const asked of [forPlace, forRate, forBreaker]) expect(asked).toEqual({ isOver: true });
    gate.end();
    breaker.stop();
    expect(clock.timers).toBe(0);
  });

  it('admits none where the breaker opens at the moment', async () => {
    const { breaker, ask, clock } = createBench();
    const asked = ask();
    breaker.open(SECOND);
    await settle();
    expect(asked.pass).toBeUndefined();
    await clock.advance(SECOND);
    expect(asked.pass?.era).toBe(breaker.era);
  });

  it('admits the request with the fewest events to find out whether the service works', async () => {
    const { breaker, clock, ask } = createBench();
    breaker.open(SECOND);
    const asked = [ask({ events: 500 }), ask({ events: 3 }), ask({ events: 40 })];
    await clock.advance(SECOND);
    expect(admitted(asked)).toEqual([false, true, false]);
  });

  it('lets no more requests go than the rate limit says', async () => {
    const { clock, rateLimit, gate, ask } = createBench();
    for (let count = 0; count < 30; count += 1) rateLimit.accepted(clock.now() - count * 100);
    rateLimit.pushedBack(clock.now(), clock.now());
    const between = SECOND / (rateLimit.perSecond ?? 0);
    const asked = Array.from({ length: 10 }, () => ask());
    const times: number[] = [];
    for (let step = 0; step < 200; step += 1) {
      const before = admitted(asked).filter(Boolean).length;
      await clock.advance(10);
      for (let left = admitted(asked).filter(Boolean).length - before; left > 0; left -= 1) {
        times.push(clock.now());
        gate.end();
      }
    }
    expect(times).toHaveLength(10);
    const gaps = times.slice(1).map((at, index) => at - (times[index] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(Math.floor(between / 10) * 10);
  });
});

describe('Gate, with retries', () => {
  it('lets a burst be tried again, and then one in ten seconds', async () => {
    const { clock, gate, ask } = createBench({ concurrency: 100 });
    const asked = Array.from({ length: 13 }, () => ask({ isRetry: true }));
    await settle();
    expect(admitted(asked).filter(Boolean)).toHaveLength(10);
    expect(gate.parked).toBe(3);
    await clock.advance(11 * SECOND);
    expect(admitted(asked).filter(Boolean)).toHaveLength(11);
    await clock.advance(20 * SECOND);
    expect(admitted(asked).filter(Boolean)).toHaveLength(13);
    expect(gate.parked).toBe(0);
  });

  it('does not let what is sent for the first time wait for that', async () => {
    const { ask, make } = createBench({ concurrency: 100 });
    for (let count = 0; count < 20; count += 1) ask({ isRetry: true });
    await settle();
    await make();
  });

  it('allows one more for every ten that are accepted', async () => {
    const { clock, gate, ask, make } = createBench({ concurrency: 100 });
    for (let count = 0; count < 10; count += 1) ask({ isRetry: true });
    const asked = [ask({ isRetry: true }), ask({ isRetry: true })];
    for (let count = 0; count < 10; count += 1) gate.accepted(await make());
    await clock.advance(SECOND);
    expect(admitted(asked)).toEqual([true, false]);
  });

  it('leaves the place to others while it waits', async () => {
    const { clock, gate, make, changes } = createBench();
    const pass = await make();
    const before = changes();
    void gate.failed(pass, { failures: 3 }, never);
    gate.end();
    expect(gate.parked).toBe(1);
    expect(changes()).toBeGreaterThan(before);
    await clock.advance(4 * SECOND);
    expect(gate.parked).toBe(0);
  });

  it('waits no longer than its signal', async () => {
    const { clock, gate, make } = createBench();
    const ends = new AbortController();
    let isOver = false;
    void gate.failed(await make(), { failures: 5 }, ends.signal).then(() => {
      isOver = true;
    });
    ends.abort();
    await settle();
    expect([isOver, gate.parked, clock.timers]).toEqual([true, 0, 0]);
  });
});

describe('Gate, after an outage', () => {
  async function breakDown({ gate, make }: Bench): Promise<void> {
    for (let failures = 0; failures < 5; failures += 1) {
      void gate.failed(await make(), { failures: 0 }, never);
      gate.end();
    }
  }

  it('begins with one request at a time, and one more with each that is accepted', async () => {
    const bench = createBench({ concurrency: 3 });
    const { clock, gate, ask } = bench;
    await breakDown(bench);
    expect(bench.breaker.state).toBe('open');
    const asked = Array.from({ length: 12 }, () => ask());
    await clock.advance(MINUTE);
    const open = () => asked.filter(({ pass }) => pass !== undefined).length;
    const widths = [];
    for (let ended = 0; ended < 6; ended += 1) {
      widths.push(open() - ended);
      gate.accepted(asked[ended]?.pass ?? expect.fail());
      gate.end();
      await settle();
    }
    expect(widths).toEqual([1, 1, 2, 3, 3, 3]);
  });

  it('does not let a failure of before end the probe that finds out about now', async () => {
    const bench = createBench({ concurrency: 8 });
    const { clock, gate, breaker, make } = bench;
    const old = await make();
    await breakDown(bench);
    await clock.advance(MINUTE);
    const probe = await make();
    expect(breaker.state).toBe('half-open');
    void gate.failed(old, { failures: 0 }, never);
    expect(breaker.state).toBe('half-open');
    gate.accepted(probe);
    expect(breaker.state).toBe('closed');
  });

  it('obeys the service where it asks for time, also in an answer to what was sent before', async () => {
    const bench = createBench({ concurrency: 8, random: () => 0 });
    const { clock, gate, breaker, make } = bench;
    const old = await make();
    await breakDown(bench);
    await clock.advance(MINUTE);
    void gate.failed(old, { failures: 0, retryAfterMs: 2 * MINUTE }, never);
    expect(breaker.openUntil).toBe(clock.now() + 2 * MINUTE);
  });

  it('does not ask sooner than the rate limit lets it, where the service asks for less time than that', async () => {
    const { clock, breaker, gate, make } = createBench({ random: () => 0 });
    gate.accepted(await make());
    gate.end();
    for (let count = 0; count < 2; count += 1) {
      const pass = await make();
      gate.pushedBack(pass, true);
      await gate.failed(pass, { failures: 0, retryAfterMs: SECOND }, never);
      gate.end();
      await clock.advance((breaker.openUntil ?? 0) - clock.now());
    }
    const pass = await make();
    gate.pushedBack(pass, true);
    await gate.failed(pass, { failures: 0, retryAfterMs: SECOND }, never);
    expect((breaker.openUntil ?? 0) - clock.now()).toBe(Math.ceil(SECOND / 0.7 ** 3));
  });

  it('takes a service that refuses however little it is sent for one that is away', async () => {
    const { clock, breaker, gate, make } = createBench({ random: () => 0 });
    gate.accepted(await make());
    gate.end();
    const refused: number[] = [];
    while (breaker.state === 'closed') {
      const pass = await make();
      refused.push(clock.now());
      gate.pushedBack(pass, true);
      void gate.failed(pass, { failures: 0, isAlive: true }, never);
      gate.end();
      await clock.advance(20 * SECOND);
      expect(refused.length).toBeLessThan(20);
    }
    // Three pushes, and five failures from there on.
    expect(refused).toHaveLength(3 - 1 + 5);
  });

  it('says how many batches are worth being taken while requests have to wait', async () => {
    const { gate, make } = createBench();
    expect(gate.mostTaken).toBe(Number.POSITIVE_INFINITY);
    gate.accepted(await make());
    gate.pushedBack(await make());
    expect(gate.mostTaken).toBe(1);
  });

  it('forgets a rate limit that it learned while requests failed', async () => {
    const bench = createBench({ concurrency: 8 });
    const { clock, gate, rateLimit, make } = bench;
    gate.accepted(await make());
    gate.pushedBack(await make());
    expect(rateLimit.perSecond).toBeDefined();
    await clock.advance(MINUTE);
    bench.breaker.open(1);
    for (let failures = 0; failures < 5; failures += 1) {
      await clock.advance(2 * MINUTE);
      void gate.failed(await make(), { failures: 0 }, never);
      gate.end();
    }
    await clock.advance(2 * MINUTE);
    gate.accepted(await make());
    expect(rateLimit.perSecond).toBeUndefined();
  });
});

describe('Gate, where nothing is wrong with the events', () => {
  it('pauses once for all that were under way, and says why and until when', async () => {
    const { clock, gate, pauses, make } = createBench({ random: () => 0 });
    const passes = [await make(), await make(), await make()];
    for (const pass of passes) gate.hold(pass, 'unauthorized', 401, false);
    const pause = { reason: 'unauthorized', status: 401, until: clock.now() + MINUTE };
    expect(pauses).toEqual([pause]);
    expect(gate.pause).toEqual(pause);
  });

  it('pauses longer from time to time, up to a bound, and begins anew after a success', async () => {
    const { clock, gate, pauses, make } = createBench({ random: () => 0 });
    const minutes = () =>
      pauses.map(({ until }) => until).map((until, index) => (until - (times[index] ?? 0)) / MINUTE);
    const times: number[] = [];
    const hold = async (): Promise<void> => {
      const pass = await make();
      times.push(clock.now());
      gate.hold(pass, 'unauthorized', 401, false);
      gate.end();
      await clock.advance(15 * MINUTE);
    };
    for (let count = 0; count < 6; count += 1) await hold();
    expect(minutes()).toEqual([1, 2, 4, 8, 15, 15]);
    gate.accepted(await make());
    gate.end();
    await hold();
    expect(minutes().at(-1)).toBe(1);
  });

  it('says until when it waits also where the probe failed otherwise, or the service asked for more time', async () => {
    const { clock, gate, breaker, make } = createBench({ random: () => 0 });
    gate.hold(await make(), 'unauthorized', 401, false);
    await clock.advance(MINUTE);
    void gate.failed(await make(), { failures: 0, retryAfterMs: 10 * MINUTE }, never);
    expect(gate.pause).toEqual({ reason: 'unauthorized', status: 401, until: clock.now() + 10 * MINUTE });
    expect(breaker.openUntil).toBe(gate.pause?.until);
  });

  it('resumes with the first answer that is about the events, and says so once', async () => {
    const { clock, gate, resumed, make } = createBench({ random: () => 0 });
    gate.hold(await make(), 'misdirected', 404, true);
    await clock.advance(5 * MINUTE);
    const probe = await make();
    gate.answered(probe.era);
    gate.answered(probe.era);
    expect([gate.pause, resumed()]).toEqual([undefined, 1]);
  });

  it('asks at once when what it was refused for is mended', async () => {
    const { clock, gate, make, ask } = createBench();
    gate.hold(await make(), 'unauthorized', 401, false);
    gate.end();
    const asked = ask();
    gate.resume();
    await settle();
    expect(asked.pass).toBeDefined();
    expect(clock.timers).toBe(0);
  });

  it.each(['while it pauses', 'while it does not'])(
    'takes no word of what was sent before for one on what is mended, %s',
    async (when) => {
      const { gate, breaker, pauses, make } = createBench();
      const [first, old] = [await make(), await make()];
      if (when === 'while it pauses') gate.hold(first, 'unauthorized', 401, false);
      const before = pauses.length;
      gate.resume();
      gate.hold(old, 'unauthorized', 401, false);
      expect(pauses).toHaveLength(before);
      expect(breaker.state).not.toBe('open');
    },
  );
});

describe('stalledUntil', () => {
  it('is the time of the next request where none is under way', async () => {
    const { clock, gate, breaker, make } = createBench();
    expect(gate.stalledUntil).toBe(0);
    await make();
    breaker.open(MINUTE);
    expect(gate.stalledUntil).toBe(0);
    gate.end();
    expect(gate.stalledUntil).toBe(clock.now() + MINUTE);
    await clock.advance(MINUTE);
    expect(gate.stalledUntil).toBe(0);
  });

  it('may have changed with each end of a request', async () => {
    const { gate, make, changes } = createBench();
    await make();
    const before = changes();
    gate.end();
    expect(changes()).toBe(before + 1);
  });
});
