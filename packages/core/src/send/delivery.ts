import type { Backoff, Clock } from '@sluice/protocol/toolbox';
import type { ClockOffset } from '../accept/clock-offset.ts';
import type { Fate } from '../base/fate.ts';
import type { Breaker, Pass, Why } from '../pace/breaker.ts';
import { probeMs } from '../pace/wait-times.ts';
import type { Books } from '../tell/books.ts';
import type { Reporter } from '../tell/reporter.ts';
import type { Blame } from './blame.ts';
import { type DeliveryPolicy, type Rule, ruleOf, WRONG } from './delivery-policy.ts';
import type { Outcome, ReadRejected, Rejected } from './http/transport.ts';
import type { Limits } from './limits.ts';
import { requestFailed } from './request-failed.ts';
import type { Trial } from './trial.ts';

/** The wait of what looks like a wrong key or address. */
const DENIED: Backoff = { baseMs: 1_000, maxMs: 60_000 };
/** The wait of an event that is probably at fault. */
const SUSPECT: Backoff = { baseMs: 60_000, maxMs: 60 * 60_000 };
/** Failed probes after which the service is to blame; if it calls the events wrong, single ones, as many as the second. */
const PROBES = 3;
const WRONG_PROBES = 10;

/** What a delivery needs. `Sent` is what its engine sends. */
export interface DeliveryOptions<Sent extends Trial> {
  readonly settings: {
    readonly delivery: {
      readonly policy: DeliveryPolicy;
      readonly retryBaseMs: number;
      readonly retryMaxMs: number;
      /** With strict order: how often one event may fail until it is set aside. Undefined: for ever. */
      readonly maxTries?: number | undefined;
    };
    /** Whether no event may overtake another of its customer. */
    readonly isOrdered: boolean;
    readonly ordering: string;
  };
  readonly clock: Clock;
  readonly random: () => number;
  readonly blame: Blame;
  readonly gate: Breaker;
  readonly limits: Limits;
  readonly requests: { readonly url: string; redact(text: string): string; accepted(): void };
  readonly offset: Pick<ClockOffset, 'learn'> | undefined;
  readonly books: Pick<Books, 'maybeDuplicate'>;
  readonly reporter: Pick<Reporter, 'requestFailed'>;
  /** Whether anything else may be sent. */
  hasOthers(): boolean;
  readonly rejected: ReadRejected | undefined;
  /** The request was accepted. @param isBack Whether a pause is over. */
  accepted(trial: Sent, pass: Pass, isBack: boolean): void;
  /** The request failed. Returns whether the engine deals with that. @param status 0: there is no answer. */
  intercepts?(trial: Sent, pass: Pass, status: number): boolean;
  /** Its events end: those that were rejected as dead letters, the others as delivered. */
  settle(trial: Sent, rejected: Rejected, status: number): unknown;
  end(parcel: Sent['parcels'][number], fate: Fate): unknown;
  /** Its halves are sent in its place. */
  halve(trial: Sent): void;
  /** If it is alone now, it holds up no others any more. */
  retry(trial: Sent, waitMs: number): void;
}

/** Makes what decides by the answer to a request what becomes of its events. */
export function createDelivery<Sent extends Trial>(options: DeliveryOptions<Sent>) {
  const { blame, books, clock, end, gate, halve, limits, offset } = options;
  const { random, reporter, requests, retry, settings, settle } = options;
  const { delivery, isOrdered } = settings;
  const isStrict = settings.ordering === 'strict';
  const backoff = { baseMs: delivery.retryBaseMs, maxMs: delivery.retryMaxMs };

  const endAll = ({ parcels }: Sent, fate: Fate) => Promise.all(parcels.map((parcel) => end(parcel, fate)));

  function failed(trial: Sent, rule: Rule, why: Why, pass: Pass): unknown {
    const { action, endsEvent } = rule;
    const isDenial = action === 'pause';
    // There may be nothing else to try: then the event at fault must be found all the same.
    const isOnly =
      isStrict ||
      (isOrdered && (isDenial ? endsEvent === true : !trial.whole.isAccepted) && !options.hasOthers());
    const isClosed = gate.state === 'closed';
    // What waits alone fails whether the service works or not.
    if (!isClosed && !trial.isAlone) {
      // It waits before anybody hears of a pause: a new key lets it go at once.
      if (!isOnly) again(trial);
      gate.failed(pass, why);
      if (!isOnly) return;
    }
    if (action === 'isolate') limits.refused?.(trial, clock.now());
    switch (blame.failed(trial, rule, isOnly, isClosed)) {
      case 'hold':
        again(trial);
        if (isClosed) gate.hold(why);
        return;
      case 'doubt':
        gate.doubt(isDenial || action === 'retry' || isOnly ? PROBES : WRONG_PROBES);
        again(trial);
        return;
      case 'drop':
        return endAll(trial, 'refused');
      case 'halve':
        if (action === 'split') limits.tooLarge(trial, clock.now());
        halve(trial);
        return;
      case 'end':
        return settle(trial, [[0, why.words]], why.status);
      case 'suspect':
        trial.isSuspect = true;
        if (trial.isAlone || (isStrict && trial.failures < (delivery.maxTries ?? Number.POSITIVE_INFINITY)))
          break;
        trial.isAlone = true;
        trial.failures = 1;
    }
    again(trial, isDenial);
  }

  function again(trial: Sent, isDenial = false): void {
    const { failures, isAlone, proofs, whole } = trial;
    const isSlow = isAlone || isDenial;
    const wait = isAlone ? SUSPECT : isDenial ? DENIED : backoff;
    let times = Math.max(failures - 1, 0);
    // Others are accepted meanwhile.
    if (!isSlow && (whole.isAccepted || proofs > 1)) times = Math.min(times, 1);
    retry(trial, probeMs(times, wait, isSlow ? () => 1 + random() / 2 : random));
  }

  /** There is an outcome. What is sent goes on, or has ended, when this returns; the end is stored when it resolves. */
  return (trial: Sent, pass: Pass, outcome: Outcome): unknown => {
    let rule = ruleOf(outcome, delivery.policy);
    const now = clock.now();
    const isAccepted = rule.action === 'accept';
    if (outcome.kind === 'answered' && (isAccepted || rule.reason === 'intercepted')) {
      // If `classify` knows the answer, it is the service's.
      const named = trial.carried && options.rejected?.(trial.carried, outcome);
      if (named?.length === trial.count) {
        // An answer that takes nothing is a refusal.
        rule = WRONG;
        outcome = { ...outcome, body: requests.redact(`${named[0]?.[1] ?? ''}`) };
      } else if (named || isAccepted) {
        const isOutage = gate.pause?.reason === 'unavailable';
        const isBack = gate.accepted(pass);
        blame.accepted(trial);
        requests.accepted();
        limits.accepted(trial, now, isBack && isOutage);
        offset?.learn(outcome.date, pass.at, now);
        options.accepted(trial, pass, isBack);
        return settle(trial, named ?? [], outcome.status);
      }
    }
    const error = requestFailed(outcome, rule, requests.url, now);
    const { excerpt: words = '', retryAfterMs, status = 0 } = error;
    const { action, isPushback, reason } = rule;
    reporter.requestFailed(error);
    if (trial.isDenied) return endAll(trial, 'denied');
    if (options.intercepts?.(trial, pass, status)) return;
    const why = { reason, status, words };
    trial.why = why;
    trial.isRefused ||= action !== 'retry';
    if (rule.isAmbiguous) books.maybeDuplicate += trial.count;
    const isEnough = isPushback && limits.pushedBack?.(pass.at, now, rule, retryAfterMs);
    if (isPushback && retryAfterMs) {
      gate.asked(retryAfterMs, why, limits.waitMs?.(now));
      retry(trial, 0);
    } else if (action === 'pause' && !gate.isCurrent(pass)) retry(trial, 0);
    // The service may only want fewer requests.
    else if (isEnough && gate.state === 'closed') again(trial);
    else return failed(trial, rule, why, pass);
  };
}
