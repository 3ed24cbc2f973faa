import type { Clock } from '@sluice/protocol/toolbox';
import { describe, expect, it } from 'vitest';
import { Gate } from '../../src/pace/gate.ts';
import type { Pass } from '../../src/pace/pass.ts';
import { LearnedRate } from '../../src/parts/learn/learned-rate.ts';
import { Books } from '../../src/tell/books.ts';
import { Reporter } from '../../src/tell/reporter.ts';
import type { BreakerState, Pause } from '../../src/tell/stats.ts';
import { SkewedClock } from '../bench/skewed-clock.ts';
import { settle, VirtualClock } from '../bench/virtual-clock.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

interface BenchOptions {
  readonly concurrency?: number;
  readonly random?: () => number;
  readonly perSuccess?: number;
  readonly rests?: () => boolean;
  readonly hasRate?: boolean;
  readonly onState?: (state: BreakerState) => void;
  /** The clock that the gate sees. */
  readonly skewed?: (clock: VirtualClock) => Clock;
}

interface Bench {
  readonly clock: VirtualClock;
  readonly gate: Gate;
  readonly states: BreakerState[];
  readonly pauses: Pause[];
  readonly rate: LearnedRate;
  readonly resumed: () => number;
  readonly changes: () => number;
  /** Asks for a request. `pass` is set once the request may be made. */
  readonly ask: (options?: { events?: number; isRetry?: boolean; signal?: AbortSignal }) => Asked;
  /** Makes a request that must be admitted at once. */
  readonly make: () => Promise<Pass>;
  /** Others found that the service must be left alone for this long. */
  readonly open: (ms: number) => void;
  /** A request fails. */
  readonly fail: (pass: Pass) => void;
}

interface Asked {
  pass?: Pass;
  isOver: boolean;
}

const never = new AbortController().signal;

function createBench(options: BenchOptions = {}): Bench {
  const {
    concurrency = 4,
    hasRate = true,
    random = () => 1,
    perSuccess = 0.1,
    rests = () => false,
  } = options;
  const clock = new VirtualClock();
  const seen = options.skewed?.(clock) ?? clock;
  const states: BreakerState[] = [];
  const pauses: Pause[] = [];
  let resumed = 0;
  let changes = 0;
  const reporter = new Reporter({ books: new Books(), clock });
  reporter.on('breaker', ({ state }) => states.push(state));
  reporter.on('paused', (pause) => pauses.push(pause));
  reporter.on('resumed', () => {
    resumed += 1;
  });
  const rate = new LearnedRate(() => {});
  const gate = new Gate({
    ...{ clock: seen, random, concurrency, backoff: { baseMs: 500, maxMs: MINUTE }, reporter, rests },
    rate: hasRate ? rate : undefined,
    retriesPerSuccess: perSuccess,
    onChange: (state) => {
      changes += 1;
      if (state !== undefined) options.onState?.(state);
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
    ...{ clock, gate, states, pauses, rate, ask, make },
    resumed: () => resumed,
    changes: () => changes,
    open: (ms) => gate.share({ until: seen.now() + ms, failures: 0 }, false),
    fail: (pass) => void gate.failed(pass, { failures: 0 }, never),
  };
}

/** A gate with a clock whose time of day can be wrong. */
function createSkewed(): Bench & { readonly time: SkewedClock } {
  const times: SkewedClock[] = [];
  const bench = createBench({
    skewed: (clock) => {
      const time = new SkewedClock(clock);
      times.push(time);
      return time;
    },
  });
  return { ...bench, time: times[0] ?? expect.fail() };
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
    const { clock, gate, ask, make, open } = createBench({ concurrency: 1, perSuccess: 0 });
    const ends = new AbortController();
    const pass = await make();
    const forPlace = ask({ signal: ends.signal });
    gate.accepted(pass);
    void gate.failed(pass, { failures: 0, isPushback: true }, ends.signal);
    const forRate = ask({ signal: ends.signal });
    open(MINUTE);
    const forBreaker = ask({ signal: ends.signal });
    await settle();
    ends.abort();
    await settle();
    for (const asked of [forPlace, forRate, forBreaker]) expect(asked).toEqual({ isOver: true });
    gate.end();
    gate.stop();
    expect(clock.timers).toBe(0);
  });

  it('admits none where the breaker opens as a place becomes free', async () => {
    const { gate, ask, clock, make, open } = createBench({ concurrency: 1 });
    await make();
    const asked = ask();
    gate.end();
    open(SECOND);
    await settle();
    expect(asked.pass).toBeUndefined();
    await clock.advance(SECOND);
    expect(asked.pass).toBeDefined();
    expect(gate.state).toBe('half-open');
  });

  it('admits the request with the fewest events to find out whether the service works', async () => {
    const { clock, ask, open } = createBench();
    open(SECOND);
    const asked = [ask({ events: 500 }), ask({ events: 3 }), ask({ events: 40 })];
    await clock.advance(SECOND);
    expect(admitted(asked)).toEqual([false, true, false]);
  });

  it('lets no more requests go than the rate limit says', async () => {
    const { clock, gate, rate, ask, make } = createBench();
    for (let count = 0; count < 30; count += 1) {
      gate.accepted(await make());
      gate.end();
      await clock.advance(100);
    }
    const pass = await make();
    void gate.failed(pass, { failures: 0, isPushback: true }, never);
    gate.end();
    const between = SECOND / (rate.perSecond ?? 0);
    expect(between).toBeLessThan(SECOND / 5);
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
  async function breakDown({ gate, fail, make }: Bench): Promise<void> {
    for (let failures = 0; failures < 5; failures += 1) {
      fail(await make());
      gate.end();
    }
  }

  it('begins with one request at a time, and one more with each that is accepted', async () => {
    const bench = createBench({ concurrency: 3 });
    const { clock, gate, ask } = bench;
    await breakDown(bench);
    expect(gate.state).toBe('open');
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
    const { clock, gate, fail, make } = bench;
    const old = await make();
    await breakDown(bench);
    await clock.advance(MINUTE);
    const probe = await make();
    expect(gate.state).toBe('half-open');
    fail(old);
    expect(gate.state).toBe('half-open');
    gate.accepted(probe);
    expect(gate.state).toBe('closed');
  });

  it('obeys the service where it asks for time, also in an answer to what was sent before', async () => {
    const bench = createBench({ concurrency: 8, random: () => 0 });
    const { clock, gate, make } = bench;
    const old = await make();
    await breakDown(bench);
    await clock.advance(MINUTE);
    void gate.failed(old, { failures: 0, retryAfterMs: 2 * MINUTE }, never);
    expect(gate.sharedPause?.until).toBe(clock.now() + 2 * MINUTE);
  });

  it('does not ask sooner than the rate limit lets it, where the service asks for less time than that', async () => {
    const { clock, gate, make } = createBench({ random: () => 0 });
    const failure = { failures: 0, retryAfterMs: SECOND, isPushback: true, isAlive: true };
    gate.accepted(await make());
    gate.end();
    for (let count = 0; count < 2; count += 1) {
      await gate.failed(await make(), failure, never);
      gate.end();
      await clock.advance((gate.sharedPause?.until ?? 0) - clock.now());
    }
    await gate.failed(await make(), failure, never);
    expect((gate.sharedPause?.until ?? 0) - clock.now()).toBe(Math.ceil(SECOND / 0.7 ** 3));
  });

  it('takes a service that refuses however little it is sent for one that is away', async () => {
    const { clock, gate, make } = createBench({ random: () => 0 });
    gate.accepted(await make());
    gate.end();
    const refused: number[] = [];
    while (gate.state === 'closed') {
      const pass = await make();
      refused.push(clock.now());
      void gate.failed(pass, { failures: 0, isPushback: true, isAlive: true }, never);
      gate.end();
      await clock.advance(20 * SECOND);
      expect(refused.length).toBeLessThan(20);
    }
    // Three pushbacks, and then five failures. The third pushback is the first failure.
    expect(refused).toHaveLength(3 - 1 + 5);
  });

  it('says how many batches are worth being taken while requests have to wait', async () => {
    const { gate, make } = createBench();
    expect(gate.mostTaken).toBe(Number.POSITIVE_INFINITY);
    gate.accepted(await make());
    void gate.failed(await make(), { failures: 0, isPushback: true }, never);
    expect(gate.mostTaken).toBe(1);
  });

  it('forgets a rate limit that it learned while requests failed', async () => {
    const bench = createBench({ concurrency: 8 });
    const { clock, gate, rate, fail, make } = bench;
    gate.accepted(await make());
    void gate.failed(await make(), { failures: 0, isPushback: true }, never);
    expect(rate.perSecond).toBeDefined();
    await clock.advance(MINUTE);
    bench.open(1);
    for (let failures = 0; failures < 5; failures += 1) {
      await clock.advance(2 * MINUTE);
      fail(await make());
      gate.end();
    }
    await clock.advance(2 * MINUTE);
    gate.accepted(await make());
    expect(rate.perSecond).toBeUndefined();
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
    const { clock, gate, make } = createBench({ random: () => 0 });
    gate.hold(await make(), 'unauthorized', 401, false);
    await clock.advance(MINUTE);
    void gate.failed(await make(), { failures: 0, retryAfterMs: 10 * MINUTE }, never);
    expect(gate.pause).toEqual({ reason: 'unauthorized', status: 401, until: clock.now() + 10 * MINUTE });
    expect(gate.sharedPause?.until).toBe(gate.pause?.until);
  });

  it('resumes with the first answer that is about the events, and says so once', async () => {
    const { clock, gate, resumed, make } = createBench({ random: () => 0 });
    gate.hold(await make(), 'misdirected', 404, true);
    await clock.advance(5 * MINUTE);
    const probe = await make();
    gate.answered(probe);
    gate.answered(probe);
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
      const { gate, pauses, make } = createBench();
      const [first, old] = [await make(), await make()];
      if (when === 'while it pauses') gate.hold(first, 'unauthorized', 401, false);
      const before = pauses.length;
      gate.resume();
      gate.hold(old, 'unauthorized', 401, false);
      expect(pauses).toHaveLength(before);
      expect(gate.state).not.toBe('open');
    },
  );
});

describe('Gate, its breaker', () => {
  it('lets all requests through at first', async () => {
    const { gate, ask, clock } = createBench();
    const asked = [ask(), ask(), ask()];
    await settle();
    expect(gate.state).toBe('closed');
    expect(admitted(asked)).toEqual([true, true, true]);
    expect(clock.timers).toBe(0);
  });

  it('lets none through while it is open, and one when its time is over, also of those that come later', async () => {
    const { ask, clock, open, states } = createBench();
    open(SECOND);
    const asked = [ask(), ask()];
    await clock.advance(999);
    expect(admitted(asked)).toEqual([false, false]);
    await clock.advance(1);
    asked.push(ask());
    await settle();
    expect(admitted(asked)).toEqual([true, false, false]);
    expect(states).toEqual(['open', 'half-open']);
  });

  it('lets others through one after the other once it is closed', async () => {
    const { gate, ask, clock, open, states } = createBench();
    open(SECOND);
    const asked = [ask(), ask(), ask()];
    await clock.advance(SECOND);
    for (const { pass } of asked) {
      gate.answered(pass ?? expect.fail());
      gate.end();
      await settle();
    }
    expect(admitted(asked)).toEqual([true, true, true]);
    expect(states).toEqual(['open', 'half-open', 'closed']);
    expect(clock.timers).toBe(0);
  });

  it('opens again where the one request did not succeed, and lets another one through after that', async () => {
    const { ask, clock, open, states } = createBench();
    open(SECOND);
    const asked = [ask(), ask()];
    await clock.advance(SECOND);
    open(2 * SECOND);
    await clock.advance(2 * SECOND - 1);
    expect(admitted(asked)).toEqual([true, false]);
    await clock.advance(1);
    expect(admitted(asked)).toEqual([true, true]);
    expect(states).toEqual(['open', 'half-open', 'open', 'half-open']);
  });

  it('tells of a change once, and of what changes nothing not at all', async () => {
    const { gate, clock, make, open, states } = createBench();
    gate.answered(await make());
    open(SECOND);
    open(2 * SECOND);
    await clock.advance(2 * SECOND);
    const probe = await make();
    gate.answered(probe);
    gate.answered(probe);
    expect(states).toEqual(['open', 'half-open', 'closed']);
  });

  it('stays open for the longest of the times that it was given', async () => {
    const { gate, clock, open } = createBench();
    open(MINUTE);
    open(100);
    await clock.advance(MINUTE - 1);
    expect(gate.state).toBe('open');
    await clock.advance(1);
    expect(gate.state).toBe('half-open');
    expect(clock.timers).toBe(0);
  });

  it.each([
    ['while it is open', 0],
    ['once it is half-open', MINUTE],
  ])('stays open for no more than it was given where the time of day was set back %s', async (_, afterMs) => {
    const { gate, clock, open, time } = createSkewed();
    open(MINUTE);
    await clock.advance(afterMs);
    time.skewMs = -24 * 60 * MINUTE;
    open(SECOND);
    await clock.advance(MINUTE);
    expect(gate.state).toBe('half-open');
  });

  it('opens anew for the new time alone', async () => {
    const { gate, clock, open } = createBench();
    open(MINUTE);
    await clock.advance(MINUTE);
    open(SECOND);
    await clock.advance(SECOND - 1);
    expect(gate.state).toBe('open');
    await clock.advance(1);
    expect(gate.state).toBe('half-open');
  });

  it('is not held up by one whose signal aborts', async () => {
    const { ask, clock, open } = createBench();
    const ends = new AbortController();
    open(SECOND);
    const aborted = ask({ signal: ends.signal });
    const waiting = ask();
    ends.abort();
    await settle();
    expect([aborted, waiting]).toEqual([{ isOver: true }, { isOver: false }]);
    await clock.advance(SECOND);
    expect(waiting.pass).toBeDefined();
  });

  it('does not let one whose signal has aborted use up the one request of half-open', async () => {
    const { ask, clock, open } = createBench();
    open(SECOND);
    await clock.advance(SECOND);
    const asked = [ask({ signal: AbortSignal.abort() }), ask()];
    await settle();
    expect(admitted(asked)).toEqual([false, true]);
  });

  it('has no timer left once it is stopped, and lets nothing through any more', async () => {
    const { gate, ask, clock, open } = createBench();
    const ends = new AbortController();
    open(SECOND);
    const asked = ask({ signal: ends.signal });
    gate.stop();
    expect(clock.timers).toBe(0);
    gate.resume();
    await clock.advance(10 * SECOND);
    expect([asked.isOver, gate.state]).toEqual([false, 'open']);
    ends.abort();
    await settle();
    expect(asked).toEqual({ isOver: true });
  });

  it('may be opened by who is told of its closing', async () => {
    const { gate, clock, make, open, states } = createBench({
      onState: (state) => state === 'closed' && open(SECOND),
    });
    open(SECOND);
    await clock.advance(SECOND);
    gate.answered(await make());
    expect(gate.state).toBe('open');
    await clock.advance(SECOND);
    expect(states).toEqual(['open', 'half-open', 'closed', 'open', 'half-open']);
  });

  it('opens at five failures in a row', async () => {
    const { gate, fail, make, states } = createBench({ concurrency: 100 });
    for (let count = 0; count < 4; count += 1) fail(await make());
    expect(states).toEqual([]);
    fail(await make());
    expect(states).toEqual(['open']);
    expect(gate.sharedPause).toMatchObject({ failures: 5 });
  });

  it('counts them anew after a success', async () => {
    const { gate, fail, make, states } = createBench({ concurrency: 100 });
    for (let count = 0; count < 4; count += 1) fail(await make());
    gate.answered(await make());
    for (let count = 0; count < 4; count += 1) fail(await make());
    expect(states).toEqual([]);
    fail(await make());
    expect(states).toEqual(['open']);
  });

  it.each([2, 5])(
    'stays closed while it has a success within each %d requests, however many fail',
    async (within) => {
      const { gate, fail, make, states } = createBench({ concurrency: 1_000 });
      for (let count = 0; count < 300; count += 1) {
        if (count % within > 0) fail(await make());
        else gate.answered(await make());
      }
      expect(states).toEqual([]);
    },
  );

  it('judges by what came since it opened last', async () => {
    const { gate, clock, fail, make, open } = createBench({ concurrency: 100 });
    for (let count = 0; count < 19; count += 1) {
      if (count % 2 === 0) fail(await make());
      else gate.answered(await make());
      gate.end();
    }
    open(SECOND);
    await clock.advance(SECOND);
    gate.answered(await make());
    gate.end();
    fail(await make());
    expect(gate.state).toBe('closed');
  });

  it('stays open for as long as another tab says, also for hours', async () => {
    const { gate, clock } = createBench();
    gate.share({ until: clock.now() + 3 * 60 * MINUTE, failures: 5 }, false);
    await clock.advance(3 * 60 * MINUTE - 1);
    expect(gate.state).toBe('open');
    await clock.advance(1);
    expect(gate.state).toBe('half-open');
  });

  it('is not opened by a pause of another tab that is over', () => {
    const { gate, clock } = createBench();
    gate.share({ until: clock.now(), failures: 5 }, false);
    expect(gate.state).toBe('closed');
  });

  it('takes what was sent before it opened for old news', async () => {
    const { gate, clock, fail, make, open, states } = createBench();
    const old = await make();
    open(SECOND);
    gate.answered(old);
    expect(gate.state).toBe('open');
    await clock.advance(SECOND);
    fail(old);
    gate.answered(old);
    expect(gate.state).toBe('half-open');
    expect(states).toEqual(['open', 'half-open']);
  });

  it('opens again at the first failure of its probe', async () => {
    const { gate, clock, fail, make, open } = createBench();
    open(SECOND);
    await clock.advance(SECOND);
    fail(await make());
    expect(gate.state).toBe('open');
  });

  it('lets one through when it is told to try, and takes what was sent before for old news', async () => {
    const { gate, ask, clock, make, open } = createBench();
    const old = await make();
    open(MINUTE);
    const asked = [ask(), ask()];
    gate.resume();
    await settle();
    expect(admitted(asked)).toEqual([true, false]);
    gate.answered(old);
    expect(gate.state).toBe('half-open');
    gate.answered(asked[0]?.pass ?? expect.fail());
    expect(gate.state).toBe('closed');
    expect(clock.timers).toBe(0);
  });

  it('does so while another is under way of which it is not known what becomes', async () => {
    const { gate, ask, clock, open } = createBench();
    open(SECOND);
    const asked = [ask(), ask()];
    await clock.advance(SECOND);
    gate.resume();
    await settle();
    expect(admitted(asked)).toEqual([true, true]);
  });

  it('changes nothing but what is old news where it is told to try while it is closed', async () => {
    const { gate, fail, make, states } = createBench({ concurrency: 100 });
    const old = await Promise.all([make(), make(), make(), make(), make()]);
    gate.resume();
    for (const pass of old) fail(pass);
    expect([gate.state, states]).toEqual(['closed', []]);
  });

  it('catches up with a time of day that went on while timers stood still', () => {
    const { gate, clock, open, time } = createSkewed();
    open(MINUTE);
    time.skewMs = MINUTE - 1;
    gate.catchUp();
    expect(gate.state).toBe('open');
    time.skewMs = MINUTE;
    gate.catchUp();
    expect(gate.state).toBe('half-open');
    expect(clock.timers).toBe(0);
  });

  it('says until when it is open, which is no further off than was asked where the time of day was set back', async () => {
    const { gate, open, time } = createSkewed();
    expect(gate.sharedPause?.until).toBeUndefined();
    open(SECOND);
    expect(gate.sharedPause?.until).toBe(time.now() + SECOND);
    time.skewMs = -24 * 60 * MINUTE;
    expect(gate.sharedPause?.until).toBe(time.now() + SECOND);
  });

  it('lets nothing through to find out about the service while the page is hidden, and one as soon as it is seen again', async () => {
    let isHidden = true;
    const { gate, ask, clock, fail, make } = createBench({ concurrency: 8, rests: () => isHidden });
    for (let count = 0; count < 5; count += 1) fail(await make());
    const asked = ask();
    gate.hint();
    await clock.advance(2 * MINUTE);
    expect([asked.isOver, clock.timers]).toEqual([false, 0]);
    isHidden = false;
    gate.catchUp();
    await settle();
    expect(asked.pass).toBeDefined();
  });
});

describe('Gate, told that the network may be gone', () => {
  it.each([
    ['opens if the next request fails', true, 'open'],
    ['goes on if the next request is answered', false, 'closed'],
  ])('lets one request pass, and %s', async (_, isFailing, state) => {
    const { gate, ask, fail } = createBench();
    gate.doubt();
    const asked = [ask(), ask()];
    await settle();
    expect(admitted(asked)).toEqual([true, false]);
    const pass = asked[0]?.pass ?? expect.fail();
    if (isFailing) fail(pass);
    else gate.answered(pass);
    expect(gate.state).toBe(state);
  });
});

describe('Gate, without a rate limit', () => {
  it('waits as long as the service asks for', async () => {
    const { gate, clock, make } = createBench({ random: () => 0, hasRate: false });
    gate.accepted(await make());
    const failure = { failures: 0, retryAfterMs: MINUTE, isPushback: true, isAlive: true };
    void gate.failed(await make(), failure, never);
    expect(gate.sharedPause).toEqual({ until: clock.now() + MINUTE, failures: 0 });
  });

  it('takes push-backs for failures: five in a row open the breaker', async () => {
    const { gate, make, states } = createBench({ concurrency: 100, hasRate: false });
    gate.accepted(await make());
    for (let count = 0; count < 5; count += 1) {
      expect(states).toEqual([]);
      void gate.failed(await make(), { failures: 0, isPushback: true, isAlive: true }, never);
    }
    expect(states).toEqual(['open']);
    expect(gate.mostTaken).toBe(Number.POSITIVE_INFINITY);
  });
});

describe('Gate, told that the network may be back', () => {
  it('lets one through at once, and for others that follow within a minute none', async () => {
    const { gate, clock, fail, make } = createBench({ concurrency: 100 });
    gate.hint();
    expect(gate.state).toBe('closed');
    for (let count = 0; count < 5; count += 1) fail(await make());
    const states: string[] = [];
    for (let hint = 0; hint < 12; hint += 1) {
      gate.hint();
      states.push(gate.state);
      if (gate.state === 'half-open')
        void gate.failed(await make(), { failures: 0, retryAfterMs: 10 * MINUTE }, never);
      await clock.advance(10 * SECOND);
    }
    const quiet = Array.from({ length: 5 }, () => 'open');
    expect(states).toEqual(['half-open', ...quiet, 'half-open', ...quiet]);
  });
});

describe('Gate, asked for time', () => {
  it('gives the service all of it, though the network may be back', async () => {
    const { gate, clock, make } = createBench();
    for (let count = 0; count < 10; count += 1) {
      void gate.failed(await make(), { failures: 0, retryAfterMs: 10 * MINUTE }, never);
      gate.end();
      gate.hint();
      expect(gate.state).toBe('open');
      await clock.advance((gate.sharedPause?.until ?? 0) - clock.now());
    }
  });
});

describe('whileUseful', () => {
  const wait = (gate: Gate, until: number, work: Promise<void> = new Promise(() => {})) => {
    const state = { isOver: false };
    void gate.whileUseful(work, until).then(() => {
      state.isOver = true;
    });
    return state;
  };

  it.each([
    ['is done', () => Promise.resolve()],
    ['fails', () => Promise.reject(new Error('storage failed'))],
  ])('waits for the work until it %s', async (_, work) => {
    const { gate, clock } = createBench();
    const waits = [wait(gate, clock.now() + SECOND, work()), wait(gate, clock.now() + SECOND)];
    await settle();
    expect(waits).toEqual([{ isOver: true }, { isOver: false }]);
  });

  it('waits while something may become of an event: while a request is under way, or before the next one', async () => {
    const { gate, clock, make, open } = createBench();
    await make();
    const at = clock.now();
    const waits = [wait(gate, at + SECOND), wait(gate, at + MINUTE), wait(gate, at + MINUTE + 1)];
    open(MINUTE);
    await settle();
    expect(waits.map(({ isOver }) => isOver)).toEqual([false, false, false]);
    gate.end();
    await settle();
    expect(waits.map(({ isOver }) => isOver)).toEqual([true, true, false]);
  });

  it('ends also where the time of the next request is put off', async () => {
    const { gate, clock, open } = createBench();
    open(SECOND);
    const waiting = wait(gate, clock.now() + MINUTE);
    await settle();
    expect(waiting.isOver).toBe(false);
    open(MINUTE);
    await settle();
    expect(waiting.isOver).toBe(true);
  });

  it('does not wait where nothing can become of any', async () => {
    const { gate, clock, open } = createBench();
    open(MINUTE);
    const waiting = wait(gate, clock.now() + SECOND);
    await settle();
    expect(waiting.isOver).toBe(true);
  });

  it('goes on once a request may be made again', async () => {
    const { gate, clock, open } = createBench();
    open(SECOND);
    await clock.advance(SECOND);
    const waiting = wait(gate, clock.now() + SECOND);
    await settle();
    expect(waiting.isOver).toBe(false);
  });
});
