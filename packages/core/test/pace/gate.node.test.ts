import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../src/entries/testing/virtual-clock.ts';
import { AdaptiveConcurrency } from '../../src/pace/adaptive-concurrency.ts';
import { type Breaker, createBreaker, type Why } from '../../src/pace/breaker.ts';
import { Gate, type Pass } from '../../src/pace/gate.ts';
import { LearnedRate } from '../../src/pace/learned-rate.ts';
import { Books } from '../../src/tell/books.ts';
import { Reporter } from '../../src/tell/reporter.ts';
import type { BreakerState, Pause } from '../../src/tell/stats.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const OUTAGE: Why = { reason: 'unavailable', status: 500, words: 'oops' };
const WRONG_KEY: Why = { reason: 'unauthorized', status: 401, words: 'who are you?' };

class Bench {
  readonly clock = new VirtualClock();
  readonly rate = new LearnedRate(() => {});
  readonly states: BreakerState[] = [];
  readonly pauses: Pause[] = [];
  readonly concurrency: AdaptiveConcurrency;
  readonly breaker: Breaker;
  readonly gate: Gate;
  isHidden = false;
  resumed = 0;
  backs = 0;
  changes = 0;

  constructor(random: () => number = () => 1, concurrency = 4) {
    const { clock, rate } = this;
    const reporter = new Reporter(new Books(), clock);
    reporter.on('breaker', ({ state }) => this.states.push(state));
    reporter.on('paused', (pause) => this.pauses.push(pause));
    reporter.on('resumed', () => {
      this.resumed += 1;
    });
    this.concurrency = new AdaptiveConcurrency(concurrency);
    const onChange = () => {
      this.changes += 1;
    };
    const backoff = { baseMs: 500, maxMs: MINUTE };
    this.breaker = createBreaker(clock, random, backoff, reporter, () => this.isHidden, onChange);
    this.gate = new Gate(clock, this.breaker, this.concurrency, (now) => rate.waitMs(now), onChange);
  }

  /** Makes requests as long as that is allowed. */
  start(most = 100): Pass[] {
    const passes: Pass[] = [];
    while (passes.length < most && this.gate.mayStart) {
      this.rate.take(this.clock.now());
      passes.push(this.gate.start());
    }
    return passes;
  }

  /** There is an answer, as the delivery tells it. */
  accepted(pass: Pass): void {
    const now = this.clock.now();
    this.concurrency.accepted(now - pass.at, now);
    this.rate.accepted(now);
    if (!this.gate.accepted(pass)) return;
    this.backs += 1;
    this.concurrency.restart();
  }

  accept(...passes: readonly Pass[]): void {
    for (const pass of passes) {
      this.accepted(pass);
      this.gate.end(pass);
    }
  }

  /** The next request fails. Returns false if there is none. */
  fail(why: Why = OUTAGE): boolean {
    const [pass] = this.start(1);
    if (pass === undefined) return false;
    this.gate.failed(pass, why);
    this.gate.end(pass);
    return true;
  }

  /** The breaker opens because a probe fails. */
  open(why: Why = OUTAGE): void {
    this.breaker.doubt(1);
    this.fail(why);
  }

  get openMs(): number {
    return (this.breaker.pause?.until ?? Number.NaN) - this.clock.now();
  }
}

describe('a gate that is closed', () => {
  it('lets four requests go at first, and twice as many with each round that is accepted, up to the most', () => {
    const bench = new Bench(() => 1, 20);
    const rounds = [1, 2, 3, 4].map(() => {
      const passes = bench.start();
      bench.accept(...passes);
      return passes.length;
    });
    expect(rounds).toEqual([4, 8, 16, 20]);
  });

  it('does not count requests that take longer than a second, but keeps to the most', async () => {
    const bench = new Bench(() => 1, 10);
    expect(bench.start()).toHaveLength(4);
    await bench.clock.advance(SECOND);
    expect(bench.changes).toBe(1);
    expect(bench.start()).toHaveLength(4);
    await bench.clock.advance(SECOND);
    expect(bench.start()).toHaveLength(2);
    await bench.clock.advance(10 * SECOND);
    expect(bench.start()).toEqual([]);
    expect(bench.gate.isBusy).toBe(true);
  });

  it('lets no more requests go than the rate limit says, and tells when the next may go', async () => {
    const bench = new Bench();
    bench.accept(...bench.start(1));
    bench.rate.pushedBack(bench.clock.now(), bench.clock.now(), true);
    expect(bench.start()).toEqual([]);
    await bench.clock.advance(2 * SECOND);
    expect(bench.changes).toBeGreaterThan(0);
    expect(bench.start()).toHaveLength(1);
  });

  it('stays closed when a request fails', () => {
    const bench = new Bench();
    for (let failure = 0; failure < 20; failure += 1) bench.fail();
    expect(bench.states).toEqual([]);
  });
});

describe('a gate in doubt', () => {
  it('lets one request go at a time', () => {
    const bench = new Bench();
    bench.accept(...bench.start(2));
    bench.breaker.doubt(3);
    const [probe] = bench.start();
    expect(bench.start()).toEqual([]);
    if (probe) bench.gate.end(probe);
    expect(bench.start()).toHaveLength(1);
    expect(bench.states).toEqual(['half-open']);
  });

  it('closes with the first request that is accepted, and slows nothing down', () => {
    const bench = new Bench();
    for (let round = 0; round < 4; round += 1) bench.accept(...bench.start());
    bench.breaker.doubt(3);
    bench.accept(...bench.start());
    expect(bench.states).toEqual(['half-open', 'closed']);
    expect(bench.start()).toHaveLength(4);
    expect(bench.backs).toBe(0);
  });

  it('opens after as many failures as it is told', () => {
    const bench = new Bench();
    bench.breaker.doubt(3);
    expect([bench.fail(), bench.fail(), bench.breaker.state, bench.fail()]).toEqual([
      true,
      true,
      'half-open',
      true,
    ]);
    expect(bench.breaker.state).toBe('open');
    expect(bench.start()).toEqual([]);
  });

  it('does not count failures of requests from before', () => {
    const bench = new Bench();
    const [before] = bench.start(1);
    bench.breaker.doubt(1);
    if (before) bench.gate.failed(before, OUTAGE);
    expect(bench.breaker.state).toBe('half-open');
  });

  it('changes nothing if it is open already', () => {
    const bench = new Bench();
    bench.open();
    bench.breaker.doubt(1);
    expect(bench.breaker.state).toBe('open');
  });
});

describe('a gate that is open', () => {
  it('stays open for longer each time, up to a minute and a fifth', async () => {
    const bench = new Bench();
    bench.open();
    const waits = [bench.openMs];
    for (let count = 0; count < 6; count += 1) {
      await bench.clock.advance(bench.openMs);
      bench.fail();
      waits.push(bench.openMs);
    }
    expect(waits.map((ms) => ms / SECOND)).toEqual([2, 4, 8, 16, 32, 72, 72]);
  });

  it('stays open for minutes where the key is refused, and says why, since when and until when', async () => {
    const bench = new Bench(() => 0);
    bench.open(WRONG_KEY);
    const since = bench.clock.now();
    const minutes = [bench.openMs / MINUTE];
    for (let count = 0; count < 5; count += 1) {
      await bench.clock.advance(bench.openMs);
      bench.fail(WRONG_KEY);
      minutes.push(bench.openMs / MINUTE);
    }
    expect(minutes).toEqual([1, 2, 4, 8, 15, 15]);
    expect(bench.breaker.pause).toEqual({
      ...WRONG_KEY,
      hint: 'check apiKey',
      since,
      until: bench.breaker.pause?.until,
    });
    expect(bench.pauses).toHaveLength(6);
  });

  it('lets one request go after its time, and others once that is accepted, one at first', async () => {
    const bench = new Bench();
    for (let round = 0; round < 4; round += 1) bench.accept(...bench.start());
    bench.open();
    await bench.clock.advance(bench.openMs);
    expect(bench.breaker.state).toBe('half-open');
    const [probe] = bench.start();
    expect(bench.start()).toEqual([]);
    if (probe) bench.accept(probe);
    expect(bench.states).toEqual(['half-open', 'open', 'half-open', 'closed']);
    expect([bench.backs, bench.resumed, bench.breaker.pause]).toEqual([1, 1, undefined]);
    expect(bench.start()).toHaveLength(1);
  });

  it('is not closed by the answer to a request from before', async () => {
    const bench = new Bench();
    const [before] = bench.start();
    bench.open();
    if (before) bench.accepted(before);
    expect(bench.breaker.state).toBe('open');
    await bench.clock.advance(bench.openMs);
    if (before) bench.accepted(before);
    expect(bench.breaker.state).toBe('half-open');
  });

  it('begins anew once a request was accepted', async () => {
    const bench = new Bench();
    bench.open();
    await bench.clock.advance(bench.openMs);
    bench.fail();
    await bench.clock.advance(bench.openMs);
    bench.accept(...bench.start());
    bench.open();
    expect(bench.openMs).toBe(2 * SECOND);
  });

  it('lets one request go at once when the reason may be gone', () => {
    const bench = new Bench();
    bench.open(WRONG_KEY);
    bench.gate.resume();
    expect(bench.start()).toHaveLength(1);
  });

  it('waits while the app is in the background, and catches up when it is active', async () => {
    const bench = new Bench();
    bench.open();
    bench.isHidden = true;
    await bench.clock.advance(MINUTE);
    expect(bench.start()).toEqual([]);
    bench.isHidden = false;
    bench.gate.catchUp();
    expect(bench.start()).toHaveLength(1);
  });

  it('has no timer left once it is stopped', () => {
    const bench = new Bench();
    bench.open();
    bench.breaker.stop();
    bench.gate.stop();
    expect(bench.clock.timers).toBe(0);
    bench.gate.resume();
    expect(bench.breaker.state).toBe('open');
  });
});

describe('a service that asks for time', () => {
  it('gets it, and up to a fifth more', () => {
    const bench = new Bench();
    bench.breaker.asked(30 * SECOND, { status: 503, words: 'later' });
    expect(bench.openMs).toBe(36 * SECOND);
    expect(bench.breaker.pause).toMatchObject({ reason: 'asked', status: 503, words: 'later' });
    bench.breaker.asked(10 * SECOND, { status: 503, words: 'later' });
    expect(bench.openMs).toBe(36 * SECOND);
  });

  it('is left alone, whatever is said of the network', () => {
    const bench = new Bench();
    bench.breaker.asked(30 * SECOND, { status: 503, words: '' });
    bench.breaker.hint();
    expect(bench.breaker.state).toBe('open');
  });
});

describe('a hint that the network is back', () => {
  it('lets one request go at once, at most once a minute', async () => {
    const bench = new Bench();
    bench.open();
    bench.breaker.hint();
    expect(bench.breaker.state).toBe('half-open');
    bench.fail();
    bench.breaker.hint();
    expect(bench.breaker.state).toBe('open');
    await bench.clock.advance(MINUTE);
    if (bench.breaker.state === 'half-open') bench.fail();
    bench.breaker.hint();
    expect(bench.breaker.state).toBe('half-open');
  });

  it('lets one request go where the service redirected: a portal of the network may have answered', () => {
    const bench = new Bench();
    bench.open({ reason: 'wrong-address', status: 302, words: '' });
    bench.breaker.hint();
    expect(bench.breaker.state).toBe('half-open');
  });

  it('is no hint where the key is wrong', () => {
    const bench = new Bench();
    bench.open(WRONG_KEY);
    bench.breaker.hint();
    expect(bench.breaker.state).toBe('open');
  });
});

it('many requests at once that are told to wait are one pause', () => {
  const { breaker, clock } = new Bench();
  for (let count = 0; count < 32; count += 1) breaker.asked(SECOND, { status: 429, words: '' });
  breaker.tryNow();
  breaker.hold(OUTAGE);
  // As after the second pause, and not as after the thirty-third.
  expect((breaker.pause?.until ?? 0) - clock.now()).toBeLessThan(10 * SECOND);
});
