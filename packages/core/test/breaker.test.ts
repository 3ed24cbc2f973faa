import { describe, expect, it } from 'vitest';
import { Breaker, type BreakerState } from '../src/breaker.ts';
import { SkewedClock } from './skewed-clock.ts';
import { settle, VirtualClock } from './virtual-clock.ts';

interface Bench {
  readonly clock: VirtualClock;
  readonly breaker: Breaker;
  readonly states: BreakerState[];
  /** Asks to be admitted. */
  readonly ask: (signal?: AbortSignal) => { isAdmitted: boolean };
}

function createBench(): Bench {
  const clock = new VirtualClock();
  const states: BreakerState[] = [];
  const breaker = new Breaker(clock, (state) => states.push(state));
  const ask = (signal = new AbortController().signal): { isAdmitted: boolean } => {
    const seen = { isAdmitted: false };
    void breaker.admit(1, signal).then(() => {
      seen.isAdmitted = true;
    });
    return seen;
  };
  return { clock, breaker, states, ask };
}

describe('Breaker', () => {
  it('lets all requests through at first', async () => {
    const { breaker, ask, clock } = createBench();
    const requests = [ask(), ask(), ask()];
    await settle();
    expect(breaker.state).toBe('closed');
    expect(requests.map(({ isAdmitted }) => isAdmitted)).toEqual([true, true, true]);
    expect(clock.timers).toBe(0);
  });

  it('lets none through while it is open, and one when its time is over', async () => {
    const { breaker, ask, clock, states } = createBench();
    breaker.open(1_000);
    const requests = [ask(), ask(), ask()];
    await clock.advance(999);
    expect(requests.map(({ isAdmitted }) => isAdmitted)).toEqual([false, false, false]);
    await clock.advance(1);
    expect(requests.map(({ isAdmitted }) => isAdmitted)).toEqual([true, false, false]);
    expect(states).toEqual(['open', 'half-open']);
  });

  it('lets only one through while half-open, also of those that come later', async () => {
    const { breaker, ask, clock } = createBench();
    breaker.open(1_000);
    await clock.advance(1_000);
    expect(breaker.state).toBe('half-open');
    const requests = [ask(), ask()];
    await settle();
    expect(requests.map(({ isAdmitted }) => isAdmitted)).toEqual([true, false]);
  });

  it('knows that its time is over where its timer stood still, once it is told to look', async () => {
    const time = new VirtualClock();
    const clock = new SkewedClock(time);
    const breaker = new Breaker(clock, () => {});
    breaker.open(60_000);
    clock.skewMs = 59_999;
    breaker.catchUp();
    expect(breaker.state).toBe('open');
    clock.skewMs = 60_000;
    breaker.catchUp();
    expect(breaker.state).toBe('half-open');
    expect(time.timers).toBe(0);
  });

  it('lets all through once it is closed', async () => {
    const { breaker, ask, clock, states } = createBench();
    breaker.open(1_000);
    const requests = [ask(), ask(), ask()];
    await clock.advance(1_000);
    breaker.succeed(breaker.era);
    await settle();
    expect(requests.map(({ isAdmitted }) => isAdmitted)).toEqual([true, true, true]);
    expect(states).toEqual(['open', 'half-open', 'closed']);
    expect(clock.timers).toBe(0);
  });

  it('opens again where the one request did not succeed, and lets another one through after that', async () => {
    const { breaker, ask, clock, states } = createBench();
    breaker.open(1_000);
    const requests = [ask(), ask()];
    await clock.advance(1_000);
    breaker.open(2_000);
    await clock.advance(1_999);
    expect(requests.map(({ isAdmitted }) => isAdmitted)).toEqual([true, false]);
    await clock.advance(1);
    expect(requests.map(({ isAdmitted }) => isAdmitted)).toEqual([true, true]);
    expect(states).toEqual(['open', 'half-open', 'open', 'half-open']);
  });

  it('tells of a change once, and of what changes nothing not at all', () => {
    const { breaker, states } = createBench();
    breaker.succeed(breaker.era);
    breaker.open(1_000);
    breaker.open(2_000);
    breaker.succeed(breaker.era);
    breaker.succeed(breaker.era);
    expect(states).toEqual(['open', 'closed']);
  });

  it('stays open for the longest of the times that it was given', async () => {
    const { breaker, clock } = createBench();
    breaker.open(60_000);
    breaker.open(100);
    await clock.advance(59_999);
    expect(breaker.state).toBe('open');
    await clock.advance(1);
    expect(breaker.state).toBe('half-open');
    expect(clock.timers).toBe(0);
  });

  it.each([
    ['while it is open', 0],
    ['once it is half-open', 60_000],
  ])('stays open for no more than it was given where the time of day was set back %s', async (_, afterMs) => {
    const clock = new VirtualClock();
    const time = new SkewedClock(clock);
    const breaker = new Breaker(time, () => {});
    breaker.open(60_000);
    await clock.advance(afterMs);
    time.skewMs = -24 * 60 * 60_000;
    breaker.open(1_000);
    await clock.advance(60_000);
    expect(breaker.state).toBe('half-open');
  });

  it('opens anew for the new time alone', async () => {
    const { breaker, clock } = createBench();
    breaker.open(60_000);
    await clock.advance(60_000);
    breaker.open(1_000);
    await clock.advance(999);
    expect(breaker.state).toBe('open');
    await clock.advance(1);
    expect(breaker.state).toBe('half-open');
  });

  it('is not held up by one whose signal aborts', async () => {
    const { breaker, ask, clock } = createBench();
    const controller = new AbortController();
    breaker.open(1_000);
    const aborted = ask(controller.signal);
    const waiting = ask();
    controller.abort();
    await settle();
    expect([aborted.isAdmitted, waiting.isAdmitted]).toEqual([true, false]);
    await clock.advance(1_000);
    expect(waiting.isAdmitted).toBe(true);
  });

  it('does not let one whose signal has aborted use up the one request of half-open', async () => {
    const { breaker, ask, clock } = createBench();
    breaker.open(1_000);
    await clock.advance(1_000);
    const aborted = ask(AbortSignal.abort());
    const next = ask();
    await settle();
    expect([aborted.isAdmitted, next.isAdmitted]).toEqual([true, true]);
  });

  it('has no timer left once it is stopped', async () => {
    const { breaker, ask, clock } = createBench();
    const controller = new AbortController();
    breaker.open(1_000);
    const request = ask(controller.signal);
    breaker.stop();
    expect(clock.timers).toBe(0);
    await clock.advance(10_000);
    expect(request.isAdmitted).toBe(false);
    controller.abort();
    await settle();
    expect(request.isAdmitted).toBe(true);
  });

  it('may be opened by the listener that is told of its closing', async () => {
    const clock = new VirtualClock();
    const breaker: Breaker = new Breaker(clock, (state) => {
      if (state === 'closed') breaker.open(500);
    });
    breaker.open(1_000);
    breaker.succeed(breaker.era);
    expect(breaker.state).toBe('open');
    await clock.advance(500);
    expect(breaker.state).toBe('half-open');
  });
});

describe('Breaker, by what becomes of requests', () => {
  it('says that it should open at five failures in a row', () => {
    const { breaker } = createBench();
    const { era } = breaker;
    expect([1, 2, 3, 4, 5].map(() => breaker.fail(era))).toEqual([false, false, false, false, true]);
    expect(breaker.failuresInARow).toBe(5);
  });

  it('counts them anew after a success', () => {
    const { breaker } = createBench();
    const { era } = breaker;
    for (let count = 0; count < 4; count += 1) breaker.fail(era);
    breaker.succeed(era);
    expect([breaker.fail(era), breaker.failuresInARow]).toEqual([false, 1]);
  });

  it('says so where half of the last twenty failed, and not before there were twenty', () => {
    const { breaker } = createBench();
    const { era } = breaker;
    const shouldOpen: boolean[] = [];
    for (let count = 0; count < 11; count += 1) {
      breaker.succeed(era);
      shouldOpen.push(breaker.fail(era));
    }
    expect(shouldOpen.indexOf(true)).toBe(9);
  });

  it('does not where fewer than half of the last twenty fail, however long', () => {
    const { breaker } = createBench();
    const { era } = breaker;
    for (let count = 0; count < 300; count += 1) {
      if (count % 5 >= 3) expect(breaker.fail(era)).toBe(false);
      else breaker.succeed(era);
    }
  });

  it('judges by what came since it opened last', async () => {
    const { breaker, clock } = createBench();
    for (let count = 0; count < 19; count += 1) {
      if (count % 2 === 0) breaker.fail(breaker.era);
      else breaker.succeed(breaker.era);
    }
    breaker.open(1_000);
    await clock.advance(1_000);
    breaker.succeed(breaker.era);
    expect(breaker.fail(breaker.era)).toBe(false);
  });

  it('takes what was sent before it opened for old news', async () => {
    const { breaker, clock, states } = createBench();
    const { era } = breaker;
    breaker.open(1_000);
    breaker.succeed(era);
    expect(breaker.state).toBe('open');
    await clock.advance(1_000);
    expect(breaker.fail(era)).toBe(false);
    breaker.succeed(era);
    expect([breaker.state, breaker.failuresInARow]).toEqual(['half-open', 0]);
    expect(states).toEqual(['open', 'half-open']);
  });

  it('says that it should open again at the first failure of its probe', async () => {
    const { breaker, clock } = createBench();
    breaker.open(1_000);
    await clock.advance(1_000);
    expect(breaker.fail(breaker.era)).toBe(true);
  });
});

describe('Breaker, told to try now', () => {
  it('lets one through, and takes what was sent before for old news', async () => {
    const { breaker, ask, clock } = createBench();
    breaker.open(60_000);
    const requests = [ask(), ask()];
    const { era } = breaker;
    breaker.tryNow();
    await settle();
    expect(requests.map(({ isAdmitted }) => isAdmitted)).toEqual([true, false]);
    breaker.succeed(era);
    expect(breaker.state).toBe('half-open');
    breaker.succeed(breaker.era);
    expect(breaker.state).toBe('closed');
    expect(clock.timers).toBe(0);
  });

  it('does so while another is under way of which it is not known what becomes', async () => {
    const { breaker, ask, clock } = createBench();
    breaker.open(1_000);
    const requests = [ask(), ask()];
    await clock.advance(1_000);
    breaker.tryNow();
    await settle();
    expect(requests.map(({ isAdmitted }) => isAdmitted)).toEqual([true, true]);
  });

  it('changes nothing but what is old news while it is closed', () => {
    const { breaker, states } = createBench();
    const { era } = breaker;
    breaker.tryNow();
    expect(breaker.era).not.toBe(era);
    expect([breaker.state, states]).toEqual(['closed', []]);
  });

  it('does nothing once it is stopped', () => {
    const { breaker } = createBench();
    breaker.open(1_000);
    breaker.stop();
    breaker.tryNow();
    expect(breaker.state).toBe('open');
  });

  it('catches up with a time of day that went on while timers stood still', () => {
    const clock = new VirtualClock();
    const time = new SkewedClock(clock);
    const breaker = new Breaker(time, () => {});
    breaker.open(60_000);
    time.skewMs = 59_999;
    breaker.catchUp();
    expect(breaker.state).toBe('open');
    time.skewMs = 60_000;
    breaker.catchUp();
    expect(breaker.state).toBe('half-open');
    expect(clock.timers).toBe(0);
  });
});

describe('openUntil', () => {
  it('is the time at which one request may be made', async () => {
    const { breaker, clock } = createBench();
    expect(breaker.openUntil).toBeUndefined();
    breaker.open(1_000);
    expect(breaker.openUntil).toBe(clock.now() + 1_000);
    await clock.advance(1_000);
    expect(breaker.openUntil).toBeUndefined();
  });

  it('is no further off than was asked where the time of day was set back', () => {
    const time = new SkewedClock(new VirtualClock());
    const breaker = new Breaker(time, () => {});
    breaker.open(1_000);
    time.skewMs = -24 * 60 * 60_000;
    expect(breaker.openUntil).toBe(time.now() + 1_000);
  });
});

describe('Breaker, of a page that is hidden', () => {
  it('lets no request through to find out about the service, and one as soon as the page is seen again', async () => {
    const clock = new VirtualClock();
    let isHidden = true;
    const breaker = new Breaker(
      clock,
      () => {},
      () => isHidden,
    );
    breaker.open(1_000);
    let admitted = 0;
    void breaker.admit(1, new AbortController().signal).then(() => {
      admitted += 1;
    });
    breaker.hint();
    await clock.advance(60_000);
    expect(admitted).toBe(0);
    expect(clock.timers).toBe(0);
    isHidden = false;
    breaker.catchUp();
    await settle();
    expect(admitted).toBe(1);
  });
});

describe('Breaker, told that the network may be back', () => {
  it('lets one through at once, and for others that follow within a minute none', async () => {
    const clock = new VirtualClock();
    const breaker = new Breaker(clock, () => {});
    breaker.hint();
    expect(breaker.state).toBe('closed');
    const states: string[] = [];
    for (let hint = 0; hint < 12; hint += 1) {
      breaker.open(60_000);
      breaker.hint();
      states.push(breaker.state);
      await clock.advance(10_000);
    }
    const quiet = Array.from({ length: 5 }, () => 'open');
    expect(states).toEqual(['half-open', ...quiet, 'half-open', ...quiet]);
  });
});
