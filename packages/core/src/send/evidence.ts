import type { Trial } from './trial.ts';

/** Failures in a row after which the service is in doubt; of single events that it calls wrong, twice as many. */
const FAILURES_TO_DOUBT = 5;
/** Doubt is for what chance explains less often than once in this many times. */
const DOUBT_ONCE_IN = 1_000;
/** If the service accepts bytes that it refused before, its refusals prove nothing for this long. */
const FICKLE_MS = 10 * 60_000;
/** About this many of the last requests count, and older ones count half after `HALF_MS`. */
const WINDOW = 200;
const HALF_MS = 5 * 60_000;
/** No service is so good that less of its requests fail. */
const LEAST_SHARE = 0.01;
/** Fewer accepted requests say little about chance. At first, one request in so many is taken to fail. */
const FEW = 10;

/** How a request failed: refused with a 4xx or so, or without a sensible answer. */
export type Failure = 'refusal' | 'crash';

/** What is known about the service, from all its answers: it tells whether a failure is the fault of an event, or chance. */
export class Evidence {
  #requests = 0;
  /** The number of the newest accepted request. */
  #accepted = 0;
  /** Failures since something was accepted, and how many parcels failed: each counts once. */
  #failures = 0;
  #row = 0;
  #outages = 0;
  #fickleUntil = 0;
  /** Requests for events that were accepted in the end: all of them, and those that failed. */
  #all = 0;
  #refusals = 0;
  #crashes = 0;
  #countedAt = 0;

  /** Failures since something was accepted. */
  get inARow(): number {
    return this.#failures;
  }

  /** Whether anything was accepted yet. */
  get isKnown(): boolean {
    return this.#accepted > 0;
  }

  /** Whether enough was accepted to know how often requests fail by chance. */
  get knowsChance(): boolean {
    return this.#all >= FEW;
  }

  /** Whether the service lately accepted bytes that it had refused. */
  isFickle(now: number): boolean {
    const leftMs = this.#fickleUntil - now;
    // More than the whole time: the clock was set back.
    return leftMs > 0 && leftMs <= FICKLE_MS;
  }

  /** Whether something newer was accepted since a trial failed last. */
  isNews({ seen }: Trial): boolean {
    return this.#accepted > seen;
  }

  /** Which share of the requests fails by chance. Events at fault do not count. */
  share(failure: Failure): number {
    const failed = failure === 'crash' ? this.#crashes : this.#refusals;
    return Math.max(LEAST_SHARE, (failed + 1) / (this.#all + FEW));
  }

  /** A request is made. */
  sent(trial: Trial): void {
    this.#requests += 1;
    trial.request = this.#requests;
    trial.sent += 1;
  }

  accepted({ request, refusals, whole }: Trial, now: number): void {
    this.#row = 0;
    this.#failures = 0;
    this.#accepted = Math.max(this.#accepted, request);
    if (refusals > 0) this.#fickleUntil = now + FICKLE_MS;
    whole.open -= 1;
    whole.isAccepted = true;
    const isInnocent = whole.open === 0 && !whole.isGuilty;
    this.#count(1, isInnocent ? whole.refusals : 0, isInnocent ? whole.crashes : 0, now);
  }

  /**
   * A request failed. Returns whether the service is in doubt now.
   *
   * @param isWrong Whether the service calls the events wrong. Then only single events count, and it takes more of them.
   * @param isAlone Whether nothing else may be tried. Then each failure counts.
   */
  failed(trial: Trial, failure: Failure, isWrong: boolean, isAlone: boolean, now: number): boolean {
    const { parcel, whole } = trial;
    if (trial.outages !== this.#outages) {
      Object.assign(trial, { refusals: 0, crashes: 0, proofs: 0, since: now, outages: this.#outages });
    }
    const isNew = trial.proofs === 0 || this.isNews(trial);
    if (isNew) trial.proofs += 1;
    if (failure === 'crash') {
      trial.crashes += 1;
      whole.crashes += 1;
    } else {
      trial.refusals += 1;
      whole.refusals += 1;
    }
    // What fails while others are accepted says nothing about the service.
    const isOwn = whole.isAccepted || trial.proofs > 1;
    if (!isOwn && !(isWrong && parcel.count > 1)) {
      this.#failures += 1;
      if (isNew) this.#row += 1;
    }
    trial.seen = this.#requests;
    const inARow = isAlone || failure === 'crash' ? this.#failures : this.#row;
    const isRare = !this.knowsChance || this.share(failure) ** inARow <= 1 / DOUBT_ONCE_IN;
    return inARow >= FAILURES_TO_DOUBT * (isWrong && !isAlone ? 2 : 1) && isRare;
  }

  /** The service was away: what failed by now proves nothing about events. */
  absolve(): void {
    this.#outages += 1;
  }

  /** With strict order, an event ended as a dead letter: something must be accepted before another one does. */
  ended(): void {
    this.#accepted = 0;
  }

  #count(accepted: number, refusals: number, crashes: number, now: number): void {
    const added = accepted + refusals + crashes;
    const fade = 0.5 ** (Math.max(0, now - this.#countedAt) / HALF_MS);
    const kept = Math.min(fade, Math.max(0, WINDOW - added) / this.#all);
    this.#countedAt = now;
    this.#all = this.#all * kept + added;
    this.#refusals = this.#refusals * kept + refusals;
    this.#crashes = this.#crashes * kept + crashes;
  }
}
