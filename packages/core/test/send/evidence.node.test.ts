import { describe, expect, it } from 'vitest';
import { Evidence, type Failure } from '../../src/send/evidence.ts';
import { Trial } from '../../src/send/trial.ts';
import { storedParcel } from '../../src/wait/parcel.ts';

const START = Date.UTC(2026, 0, 1);
const MINUTE = 60_000;
const { signal } = new AbortController();

/** Something that is sent, of so many events. */
function trialOf(count: number = 1): Trial {
  return new Trial(storedParcel({ segment: 1, from: 0, to: count }, 0, false), signal);
}

/** What a service told. */
class Told {
  readonly evidence: Evidence = new Evidence();
  now: number = START;

  accept(trial: Trial = trialOf()): void {
    this.evidence.sent(trial);
    this.evidence.accepted(trial, this.now);
  }

  /** @param isWrong Whether the service calls the events wrong. */
  fail(
    trial: Trial,
    failure: Failure = 'crash',
    isWrong: boolean = false,
    isStrict: boolean = false,
  ): boolean {
    this.evidence.sent(trial);
    return this.evidence.failed(trial, failure, isWrong, isStrict, this.now);
  }

  /** How many different trials fail in a row until the service is in doubt. */
  failuresToDoubt(failure: Failure, isWrong: boolean = false, count: number = 1): number {
    for (let failures = 1; failures <= 100; failures += 1)
      if (this.fail(trialOf(count), failure, isWrong)) return failures;
    return Number.POSITIVE_INFINITY;
  }
}

describe('a service', () => {
  it('is in doubt after five failures of different parcels in a row', () => {
    expect(new Told().failuresToDoubt('crash')).toBe(5);
    expect(new Told().failuresToDoubt('refusal')).toBe(5);
  });

  it('is in doubt after ten single events in a row that it calls wrong; larger parcels say nothing', () => {
    expect(new Told().failuresToDoubt('refusal', true)).toBe(10);
    expect(new Told().failuresToDoubt('refusal', true, 2)).toBe(Number.POSITIVE_INFINITY);
  });

  it('is not in doubt because of one event that it refuses again and again, unless order is strict', () => {
    const [told, strict] = [new Told(), new Told()];
    const [trial, other] = [trialOf(), trialOf()];
    const doubts = Array.from({ length: 20 }, () => told.fail(trial, 'refusal'));
    expect(doubts).not.toContain(true);
    const strictDoubts = Array.from({ length: 5 }, () => strict.fail(other, 'refusal', true, true));
    expect(strictDoubts).toEqual([false, false, false, false, true]);
  });

  it('is in doubt only after more failures if it fails often by chance', () => {
    const told = new Told();
    for (let round = 0; round < 50; round += 1) {
      const trial = trialOf();
      told.fail(trial);
      told.accept(trial);
    }
    expect(told.evidence.share('crash')).toBeGreaterThan(0.4);
    expect(told.failuresToDoubt('crash')).toBeGreaterThanOrEqual(8);
  });

  it('is not in doubt because of parts of a parcel of which a part was accepted', () => {
    const told = new Told();
    const [one, other] = trialOf(2).halves(trialOf().parcel, trialOf().parcel, true, false);
    told.accept(one);
    for (let times = 0; times < 20; times += 1) expect(told.fail(other)).toBe(false);
    expect(told.evidence.inARow).toBe(0);
  });

  it('is fickle for ten minutes after it accepted bytes that it had refused', () => {
    const told = new Told();
    const [crashed, refused] = [trialOf(), trialOf()];
    told.fail(crashed);
    told.accept(crashed);
    expect(told.evidence.isFickle(told.now)).toBe(false);
    told.fail(refused, 'refusal');
    expect(told.evidence.isFickle(told.now)).toBe(false);
    told.accept(refused);
    expect(told.evidence.isFickle(told.now)).toBe(true);
    expect(told.evidence.isFickle(told.now + 10 * MINUTE - 1)).toBe(true);
    expect(told.evidence.isFickle(told.now + 10 * MINUTE)).toBe(false);
    // The clock was set back.
    expect(told.evidence.isFickle(told.now - MINUTE)).toBe(false);
  });
});

describe('the share of requests that fails by chance', () => {
  it('does not count events at fault, or what was never accepted', () => {
    const told = new Told();
    for (let times = 0; times < 100; times += 1) told.accept();
    expect(told.evidence.knowsChance).toBe(true);
    const guilty = trialOf(2);
    const [one, other] = guilty.halves(trialOf().parcel, trialOf().parcel, true, false);
    for (let times = 0; times < 50; times += 1) told.fail(guilty);
    told.accept(one);
    other.whole.isGuilty = true;
    for (let times = 0; times < 50; times += 1) told.fail(other, 'refusal');
    expect([told.evidence.share('crash'), told.evidence.share('refusal')]).toEqual([0.01, 0.01]);
  });

  it('counts refusals and other failures apart, and forgets them', () => {
    const told = new Told();
    for (let round = 0; round < 40; round += 1) {
      const trial = trialOf();
      if (round % 2 === 0) told.fail(trial);
      told.accept(trial);
    }
    expect(told.evidence.share('crash')).toBeCloseTo(0.3);
    expect(told.evidence.share('refusal')).toBeLessThan(0.02);
    told.now += 60 * MINUTE;
    for (let times = 0; times < 50; times += 1) told.accept();
    expect(told.evidence.share('crash')).toBeLessThan(0.02);
  });
});

describe('a failure', () => {
  it('counts as proof if something newer was accepted since the one before', () => {
    const told = new Told();
    const trial = trialOf();
    told.fail(trial, 'refusal');
    told.fail(trial, 'refusal');
    expect([trial.refusals, trial.proofs]).toEqual([2, 1]);
    told.accept();
    told.fail(trial, 'refusal');
    told.fail(trial, 'refusal');
    expect([trial.refusals, trial.proofs]).toEqual([4, 2]);
  });

  it('proves nothing if the service was away since', () => {
    const told = new Told();
    const trial = trialOf();
    told.fail(trial);
    told.accept();
    told.fail(trial);
    told.evidence.absolve();
    told.now += MINUTE;
    told.fail(trial);
    expect([trial.crashes, trial.proofs, trial.since]).toEqual([1, 1, told.now]);
  });
});
