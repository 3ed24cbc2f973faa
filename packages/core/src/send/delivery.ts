import type { Clock } from '@sluice/protocol/toolbox';
import type { ClockOffset } from '../accept/clock-offset.ts';
import type { AdaptiveConcurrency } from '../pace/adaptive-concurrency.ts';
import type { Breaker, Why } from '../pace/breaker.ts';
import type { Gate, Pass } from '../pace/gate.ts';
import type { Books } from '../tell/books.ts';
import type { Reporter } from '../tell/reporter.ts';
import type { Parcel } from '../wait/parcel.ts';
import type { Waiting } from '../wait/waiting.ts';
import { type Blame, probesOf, retryMs } from './blame.ts';
import { type DeliveryPolicy, type Rule, ruleOf, WRONG } from './delivery-policy.ts';
import type { Outcome, ReadRejected } from './http/transport.ts';
import type { Limits } from './limits.ts';
import { ParcelTrial, type Refusal } from './parcel-trial.ts';
import { createPushBacks } from './push-backs.ts';
import { requestFailed } from './request-failed.ts';
import type { Requests } from './requests.ts';
import type { Trials } from './trials.ts';

/** How soon to try again to store a dead letter, in milliseconds. Others go on meanwhile. */
const STORAGE_RETRY_MS = 60_000;

interface DeliveryOptions {
  readonly settings: {
    readonly delivery: {
      readonly policy: DeliveryPolicy;
      readonly retryBaseMs: number;
      readonly retryMaxMs: number;
      /** With strict order: how often one event may fail until it is set aside. Undefined: for ever. */
      readonly maxTries?: number | undefined;
    };
    readonly isOrdered: boolean;
    readonly ordering: string;
  };
  readonly clock: Clock;
  readonly random: () => number;
  readonly waiting: Waiting;
  readonly breaker: Breaker;
  readonly gate: Gate;
  readonly concurrency: AdaptiveConcurrency;
  readonly requests: Requests;
  /** Whether nothing reads the body of a request any more once the request is answered. */
  readonly releasesBodies: boolean;
  readonly rejected: ReadRejected | undefined;
  readonly limits: Limits;
  readonly blame: Blame;
  readonly trials: Trials;
  readonly letters: {
    /** Stores the one event of a parcel as a dead letter. Rejects with a StorageError if that fails. */
    keep(parcel: Pick<Parcel, 'events'>, refusal: Refusal): Promise<void>;
  };
  readonly offset: Pick<ClockOffset, 'learn'> | undefined;
  readonly books: Pick<Books, 'maybeDuplicate'>;
  readonly reporter: Reporter;
  readonly signal: AbortSignal;
}

/** Returns a function that sends a parcel once and acts on the answer. */
export function createDelivery(options: DeliveryOptions): (trial: ParcelTrial, pass: Pass) => Promise<void> {
  const { blame, books, breaker, clock, concurrency, gate, letters, limits, offset } = options;
  const { random, rejected, releasesBodies, reporter, requests, settings, signal, trials, waiting } = options;
  const { isOrdered } = settings;
  const { maxTries = Number.POSITIVE_INFINITY, policy, retryBaseMs, retryMaxMs } = settings.delivery;
  const isStrict = settings.ordering === 'strict';
  const backoff = { baseMs: retryBaseMs, maxMs: retryMaxMs };
  const pushBacks = createPushBacks(blame, limits.rate);

  async function answered(trial: ParcelTrial, pass: Pass, outcome: Outcome): Promise<void> {
    const { parcel } = trial;
    const now = clock.now();
    let rule = ruleOf(outcome, policy);
    const isAccepted = rule.action === 'accept';
    if (outcome.kind === 'answered' && (isAccepted || rule.reason === 'intercepted')) {
      // If `classify` knows the answer, it is the service's.
      const named = rejected?.(parcel, outcome);
      if (named?.length === parcel.count) {
        // An answer that takes nothing is a refusal.
        rule = WRONG;
        outcome = { ...outcome, body: requests.redact(named[0]?.[1] ?? '') };
      } else if (named || isAccepted) {
        offset?.learn(outcome.date, pass.at, now);
        accepted(trial, pass);
        return settle(trial, new Map(named), outcome.status);
      }
    }
    const error = requestFailed(outcome, rule, requests.url, now);
    const { excerpt: words = '', retryAfterMs, status = 0 } = error;
    reporter.requestFailed(error);
    if (trial.denied.aborted) return waiting.end(parcel, 'denied');
    const why = { reason: rule.reason, status, words };
    trial.why = why;
    if (rule.isAmbiguous) books.maybeDuplicate += parcel.count;
    // What is at fault itself slows down nothing else.
    const isPushback = rule.isPushback && !pushBacks.isOwn(trial);
    const isEnough = isPushback && limits.rate?.pushedBack(pass.at, now, rule.isAlive, retryAfterMs);
    if (isPushback && retryAfterMs) {
      breaker.asked(retryAfterMs, why, limits.rate?.waitMs(now));
      return trials.retry(trial, 0);
    }
    // The service may accept it with the new key.
    if (rule.action === 'pause' && !gate.isCurrent(pass)) return trials.retry(trial, 0);
    // The service may only want fewer requests.
    if (isEnough && breaker.state === 'closed') return again(trial);
    await failed(trial, pass, rule, why);
  }

  function accepted(trial: ParcelTrial, pass: Pass): void {
    const now = clock.now();
    const reason = breaker.pause?.reason;
    const isOutage = reason === 'unavailable';
    const isBack = gate.accepted(pass);
    // What failed while the service was away says nothing about how often it fails.
    if (isBack) trial.failures = 0;
    concurrency.accepted(now - pass.at, now);
    blame.accepted(trial);
    pushBacks.accepted(trial);
    requests.accepted();
    limits.accepted(trial, now, isBack && isOutage);
    trials.accepted(trial);
    if (!isBack) return;
    concurrency.restart();
    trials.resume(reason === 'asked' ? pushBacks.mayBeAtFault : 0);
  }

  async function failed(trial: ParcelTrial, pass: Pass, rule: Rule, why: Why): Promise<void> {
    const { parcel, whole } = trial;
    const { action, endsEvent } = rule;
    const isDenial = action === 'pause';
    // There may be nothing else to try: then the event at fault must be found all the same.
    const isKnownApart = isDenial ? endsEvent !== true : whole.isAccepted;
    const isOnly = isStrict || (isOrdered && !isKnownApart && !waiting.hasOthers);
    const isClosed = breaker.state === 'closed';
    // What waits alone fails whether the service works or not.
    if (!isClosed && !trial.isAlone) {
      // First: a listener of a pause may set a new key, which sends all that waits at once.
      if (!isOnly) again(trial);
      gate.failed(pass, why);
      if (!isOnly) return;
    }
    if (action === 'isolate') limits.refused?.(trial, clock.now(), blame.isSteady);
    switch (blame.failed(trial, rule, isOnly, isClosed)) {
      case 'hold':
        again(trial);
        if (isClosed) breaker.hold(why);
        return;
      case 'doubt':
        breaker.doubt(probesOf(rule, isOnly));
        return again(trial);
      case 'drop':
        return waiting.end(parcel, 'refused');
      case 'halve':
        if (action === 'split') limits.tooLarge(trial, clock.now());
        return trials.halve(trial);
      case 'end':
        return settle(trial, new Map([[0, why.words]]), why.status);
      case 'suspect':
        trial.isSuspect = true;
        if (trial.isAlone || (isStrict && trial.failures < maxTries)) break;
        trial.isAlone = true;
        trial.failures = 1;
    }
    again(trial, isDenial);
  }

  function again(trial: ParcelTrial, isDenial = false): void {
    trials.retry(trial, retryMs(trial, isDenial, backoff, random));
  }

  /** Its events end: as dead letters those with a reason, by their index; the others as delivered. */
  async function settle(trial: ParcelTrial, reasons: ReadonlyMap<number, string>, status: number) {
    const { denied, parcel, why } = trial;
    // A request that failed without an answer may still be running, and read the body.
    const isUnused = !why && releasesBodies;
    if (reasons.size === 0) return waiting.end(parcel, 'delivered', isUnused);
    const indexes = [...reasons.keys()].flatMap((index) => [index, index + 1]);
    const ended: Promise<void>[] = [];
    const refused: [ParcelTrial, string][] = [];
    let index = 0;
    for (const part of waiting.cut(parcel, ...indexes)) {
      const reason = reasons.get(index);
      index += part.count;
      if (reason === undefined) ended.push(waiting.end(part, 'delivered', isUnused));
      else refused.push([part === parcel ? trial : new ParcelTrial(part, denied), reason]);
    }
    await Promise.all(ended);
    // Each letter is written and synced: what the service has must not wait for that.
    for (const [one, reason] of refused)
      if (denied.aborted) await waiting.end(one.parcel, 'denied');
      else await bury(one, { status, excerpt: requests.redact(reason) });
  }

  /** Makes a dead letter. If its storage fails, only this event waits. */
  async function bury(trial: ParcelTrial, letter: Refusal): Promise<void> {
    try {
      await letters.keep(trial.parcel, letter);
    } catch (error) {
      reporter.storageFailed(error);
      trial.letter = letter;
      trial.isAlone = true;
      return trials.retry(trial, STORAGE_RETRY_MS);
    }
    await waiting.end(trial.parcel, 'deadLettered');
    reporter.emit('deadLettered', { count: 1, ...letter });
  }

  return async (trial, pass) => {
    try {
      if (trial.denied.aborted) return await waiting.end(trial.parcel, 'denied');
      if (trial.letter) return await bury(trial, trial.letter);
      trial.sent += 1;
      limits.sent?.(trial, pass.at);
      blame.sent(trial);
      const mayBegin = () => !trial.denied.aborted;
      const outcome = await requests.post(trial.parcel, trial.sent > 1, false, mayBegin);
      if (outcome.kind === 'answered') await answered(trial, pass, outcome);
      else if (trial.denied.aborted) await waiting.end(trial.parcel, 'denied');
      // The tracker closes: others stay in the journal.
      else if (!signal.aborted) await answered(trial, pass, outcome);
    } finally {
      gate.end(pass);
    }
  };
}
