import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../src/entries/testing/virtual-clock.ts';
import { type Blame, createBlame, retryMs } from '../../src/send/blame.ts';
import { type Rule, ruleFor } from '../../src/send/delivery-policy.ts';
import type { Trial } from '../../src/send/trial.ts';

type Verdict = ReturnType<Blame['failed']>;

const MINUTE = 60_000;

/** Something that is sent, of so many events. */
class Sent implements Trial {
  readonly parcels: Trial['parcels'];
  readonly whole: Trial['whole'];
  failures = 0;
  refusals = 0;
  proofs: number;
  seen: number;
  why: Trial['why'];

  constructor(count: number = 1, from?: Sent) {
    this.parcels = [{ count, bytes: 10 * count }];
    this.whole = from?.whole ?? { isAccepted: false };
    this.proofs = from ? 1 : 0;
    this.seen = from?.seen ?? 0;
  }
}

/** It was refused, and then accepted. */
function refused(): Sent {
  const why = { reason: 'refused', status: 400, words: '' } as const;
  return Object.assign(new Sent(), { failures: 1, why });
}

/** A service, and what its answers tell. */
class Told {
  readonly clock: VirtualClock = new VirtualClock();
  readonly blame: ReturnType<typeof createBlame>;

  constructor(isStrict: boolean = false) {
    this.blame = createBlame(this.clock, isStrict, true);
  }

  /** Requests are accepted of which this share had failed before. */
  accept(times: number = 1, share: number = 0): void {
    const each = share > 0 ? Math.round((1 - share) / share) : Number.POSITIVE_INFINITY;
    for (let time = 1; time <= times; time += 1) {
      const trial = new Sent();
      trial.failures = share > 0.5 ? 2 : Number(time % each === 0);
      this.blame.accepted(trial);
    }
  }

  /** A request fails, while the breaker is closed. */
  fail(trial: Sent, status: number, isOnly: boolean = false): Verdict {
    return this.blame.failed(trial, ruleFor(status), isOnly, true);
  }

  /** How many different trials fail in a row until the service is in doubt. */
  failuresToDoubt(status: number, count: number = 1): number {
    for (let failures = 1; failures <= 100; failures += 1)
      if (this.fail(new Sent(count), status) === 'doubt') return failures;
    return Number.POSITIVE_INFINITY;
  }
}

/** What is known of the events of a failed request, and of the service. */
interface Facts {
  readonly count: number;
  /** How often it failed, this time included, and how many of these failures count. */
  readonly failures: number;
  /** Left out: all of them are refusals. */
  readonly refusals?: number;
  readonly proofs: number;
  /** The share of the requests that fails by chance. */
  readonly share: number;
  /** Whether other events of its request were accepted. */
  readonly isPiece: boolean;
  readonly isOnly: boolean;
  readonly isFickle: boolean;
}

/** A service that works. */
const FACTS: Facts = {
  ...{ count: 1, failures: 1, proofs: 1, share: 0 },
  ...{ isPiece: false, isOnly: false, isFickle: false },
};

function verdictOf(rule: Rule, facts: Partial<Facts>, isStrict: boolean = false): Verdict {
  const { count, failures, isFickle, isOnly, isPiece, proofs, refusals, share } = { ...FACTS, ...facts };
  const service = new Told(isStrict);
  service.accept(1_000, share);
  if (isFickle) service.blame.accepted(refused());
  const trial = new Sent(count);
  // The next failure is the last one of these.
  service.blame.failed(trial, rule, isOnly, false);
  Object.assign(trial, { failures: failures - 1, refusals: (refusals ?? failures) - 1, proofs });
  trial.whole.isAccepted = isPiece;
  return service.blame.failed(trial, rule, isOnly, false);
}

const PROVEN = { failures: 6, proofs: 5 };

const WRONG = [400, 409, 422, 406, 411, 415, 418, 501];
const DENIED = [403, 404, 405, 410, 451];
const OURS = [301, 302, 307, 308, 401, 402, 407, 421, 426, 431];
const FAILED = [408, 425, 500, 502, 504, 599];

const cases: [string, number[], Partial<Facts>, Verdict][] = [
  ['several events that are called wrong are asked again', WRONG, { count: 2 }, 'again'],
  ['and halved with the second refusal', WRONG, { count: 2, failures: 2 }, 'halve'],
  ['a single one is asked again', WRONG, { failures: 4, isPiece: true }, 'again'],
  ['five refusals, and others accepted between, end it', WRONG, { failures: 5, proofs: 2 }, 'end'],
  ['however often it had no answer before', WRONG, { failures: 9, refusals: 4, proofs: 2 }, 'again'],
  ['or five, if the rest of its request was accepted', WRONG, { failures: 5, isPiece: true }, 'end'],
  ['without any accepted between, it waits', WRONG, { failures: 50 }, 'again'],
  [
    'but not where nothing else can be sent: it is a suspect',
    WRONG,
    { failures: 5, isOnly: true },
    'suspect',
  ],
  ['where the service is fickle, it is a suspect', WRONG, { ...PROVEN, isFickle: true }, 'suspect'],
  ['where chance explains it, it is asked again', WRONG, { ...PROVEN, share: 0.5 }, 'again'],
  ['until chance does not', WRONG, { ...PROVEN, failures: 22, share: 0.5 }, 'end'],
  ['several events that look like a wrong key or address are asked again', DENIED, { count: 2 }, 'again'],
  ['and halved with the second refusal', DENIED, { count: 2, failures: 2 }, 'halve'],
  ['a single one ends after six refusals: their waits take half a minute', DENIED, PROVEN, 'end'],
  ['not earlier', DENIED, { ...PROVEN, failures: 5 }, 'again'],
  ['not after fewer that count', DENIED, { ...PROVEN, failures: 9, proofs: 4 }, 'again'],
  [
    'where nothing else can be sent, it is a suspect',
    DENIED,
    { ...PROVEN, proofs: 1, isOnly: true },
    'suspect',
  ],
  ['not earlier', DENIED, { failures: 5, isOnly: true }, 'again'],
  ['nor while the service is fickle', DENIED, { ...PROVEN, isFickle: true }, 'suspect'],
  ['what is never the fault of an event is halved too', OURS, { count: 2, failures: 2 }, 'halve'],
  ['but never ends an event', OURS, { ...PROVEN, failures: 500 }, 'suspect'],
  ['several events that failed go again', FAILED, { count: 2, failures: 2, proofs: 2 }, 'again'],
  ['and are halved with the third failure', FAILED, { count: 2, failures: 3, proofs: 2 }, 'halve'],
  ['also if nothing was accepted between', FAILED, { count: 2, failures: 3 }, 'halve'],
  [
    'where a fifth fails by chance, not with the fourth',
    FAILED,
    { count: 2, failures: 4, proofs: 2, share: 0.2 },
    'again',
  ],
  [
    'where a fifth fails by chance, with the fifth',
    FAILED,
    { count: 2, failures: 5, proofs: 2, share: 0.2 },
    'halve',
  ],
  [
    'where more than half of all fail, never',
    FAILED,
    { count: 2, failures: 50, proofs: 2, share: 0.6 },
    'again',
  ],
  ['a single one that fails is a suspect after five', FAILED, { failures: 5, proofs: 2 }, 'suspect'],
  ['not after four', FAILED, { failures: 4, proofs: 2 }, 'again'],
  ['a body that is too large is sent in halves', [413], { count: 2 }, 'halve'],
  [
    'a single one ends with the second refusal, if others are accepted',
    [413],
    { failures: 2, proofs: 2 },
    'end',
  ],
  ['as long as all are refused, it waits', [413], { failures: 50 }, 'again'],
];

describe('who is to blame', () => {
  it.each(cases)('%s', (_, statuses, facts, verdict) => {
    for (const status of statuses)
      expect([status, verdictOf(ruleFor(status), facts)]).toEqual([status, verdict]);
  });

  it('does at once what a policy asks for', () => {
    expect(verdictOf(ruleFor(500, { '5xx': 'pause' }), {})).toBe('hold');
    expect(verdictOf(ruleFor(422, { '422': 'drop' }), { count: 9 })).toBe('drop');
  });

  it('never ends an event that a policy says to retry', () => {
    expect(verdictOf(ruleFor(400, { '4xx': 'retry' }), PROVEN)).toBe('suspect');
  });

  it('looks for the event at fault where a policy says so', () => {
    const rule = ruleFor(500, { '500': 'isolate' });
    expect(verdictOf(rule, { count: 2, failures: 2 })).toBe('halve');
    expect(verdictOf(rule, PROVEN)).toBe('end');
  });

  it('ends one event at a time with strict order: then something must be accepted', () => {
    const told = new Told(true);
    told.accept();
    const verdicts = [new Sent(), new Sent()].map((trial) =>
      Array.from({ length: 6 }, () => told.blame.failed(trial, ruleFor(400), true, false)),
    );
    expect(verdicts.map((all) => all.includes('end'))).toEqual([true, false]);
  });
});

describe('a service', () => {
  it('is in doubt after five failures of different parcels in a row', () => {
    for (const status of [500, 403]) {
      const told = new Told();
      told.accept();
      expect(told.failuresToDoubt(status)).toBe(5);
    }
  });

  it('is in doubt after ten single events in a row that it calls wrong; larger parcels say nothing', () => {
    expect(new Told().failuresToDoubt(400)).toBe(10);
    expect(new Told().failuresToDoubt(400, 2)).toBe(Number.POSITIVE_INFINITY);
  });

  it('is in doubt at once if the first answer looks like a wrong key or address', () => {
    expect(new Told().failuresToDoubt(403)).toBe(1);
  });

  it('is not in doubt because of one event that it refuses again and again, unless nothing else can be sent', () => {
    const [told, alone] = [new Told(), new Told()];
    told.accept();
    const [trial, other] = [new Sent(), new Sent()];
    expect(Array.from({ length: 20 }, () => told.fail(trial, 403))).not.toContain('doubt');
    expect(Array.from({ length: 5 }, () => alone.fail(other, 400, true))).toEqual([
      ...['again', 'again', 'again', 'again', 'doubt'],
    ]);
  });

  it('is in doubt only after more failures if it fails often by chance', () => {
    const told = new Told();
    told.accept(50, 0.5);
    expect(told.failuresToDoubt(500)).toBeGreaterThanOrEqual(8);
  });

  it('is not in doubt because of pieces of a request of which a piece was accepted', () => {
    const told = new Told();
    const whole = new Sent(2);
    told.fail(whole, 500);
    const [one, other] = [new Sent(1, whole), new Sent(1, whole)];
    told.blame.accepted(one);
    expect(Array.from({ length: 20 }, () => told.fail(other, 500))).not.toContain('doubt');
    expect(told.blame.inARow).toBe(0);
  });

  it('is fickle for ten minutes after it accepted bytes that it had refused', () => {
    for (const [afterMs, verdict] of [
      [10 * MINUTE - 1, 'suspect'],
      [10 * MINUTE, 'end'],
      // The clock was set back.
      [-60 * MINUTE, 'end'],
    ] as const) {
      const told = new Told();
      told.accept(20);
      told.blame.accepted(refused());
      const now = told.clock.now() + afterMs;
      told.clock.now = () => now;
      const trial = Object.assign(new Sent(), { failures: 6, refusals: 6, proofs: 2 });
      expect([afterMs, told.fail(trial, 400)]).toEqual([afterMs, verdict]);
    }
  });
});

it('a service is fickle too where the bytes that it refused were the probe that ended the pause', () => {
  const told = new Told();
  told.accept(20);
  told.blame.accepted(Object.assign(refused(), { failures: 0, refusals: 2 }));
  const trial = Object.assign(new Sent(), { failures: 6, refusals: 6, proofs: 2 });
  expect(told.fail(trial, 400)).toBe('suspect');
});

describe('the share of requests that fails by chance', () => {
  it('does not count events at fault, or what was never accepted', () => {
    const told = new Told();
    told.accept(100);
    const guilty = new Sent(2);
    for (let times = 0; times < 50; times += 1) told.fail(guilty, 500);
    told.blame.accepted(new Sent(1, guilty));
    expect(told.failuresToDoubt(500)).toBe(5);
  });

  it('is forgotten as others are accepted', () => {
    const told = new Told();
    told.accept(200, 0.5);
    told.accept(1_000);
    expect(told.failuresToDoubt(500)).toBe(5);
  });
});

describe('a failure', () => {
  it('counts as proof if something else was accepted since the one before', () => {
    const told = new Told();
    const trial = new Sent();
    told.accept();
    told.fail(trial, 400);
    told.fail(trial, 400);
    expect([trial.failures, trial.proofs]).toEqual([2, 1]);
    told.accept();
    told.fail(trial, 400);
    told.fail(trial, 400);
    expect([trial.failures, trial.proofs]).toEqual([4, 2]);
  });

  it('shows that a piece is at fault, once another piece was accepted after it', () => {
    const told = new Told();
    const whole = new Sent(3);
    told.fail(whole, 500);
    const [one, other] = [new Sent(1, whole), new Sent(2, whole)];
    told.fail(other, 500);
    expect(told.blame.isFound(other)).toBe(false);
    told.blame.accepted(one);
    expect(told.blame.isFound(other)).toBe(true);
    expect(told.fail(other, 500)).toBe('halve');
  });
});

describe('what goes again', () => {
  const backoff = { baseMs: 500, maxMs: MINUTE };
  const waitMs = (trial: Sent, isDenial: boolean = false) => retryMs(trial, isDenial, backoff, () => 1);

  it('waits for longer each time, but for no more than a second while others are accepted', () => {
    const waits = [1, 2, 3, 4].map((failures) => waitMs(Object.assign(new Sent(), { failures })));
    expect(waits).toEqual([500, 1_000, 2_000, 4_000]);
    expect(waitMs(Object.assign(new Sent(), { failures: 9, proofs: 2 }))).toBe(1_000);
  });

  it('waits for half a minute in all, at least, until an event that looks like a wrong key ends', () => {
    const waits = [1, 2, 3, 4, 5].map((failures) =>
      retryMs(Object.assign(new Sent(), { failures, proofs: failures }), true, backoff, () => 0),
    );
    expect(waits.reduce((sum, ms) => sum + ms, 0)).toBeGreaterThanOrEqual(30_000);
  });

  it('waits for a minute if it waits alone, then longer, up to an hour and a fifth', () => {
    const waits = [1, 2, 20].map((failures) =>
      retryMs(Object.assign(new Sent(), { failures, isAlone: true }), false, backoff, () => 0),
    );
    expect(waits).toEqual([MINUTE, 2 * MINUTE, 72 * MINUTE]);
  });
});
