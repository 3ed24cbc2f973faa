import { type Backoff, backoffDelayMs, type Clock } from '@sluice/protocol/toolbox';
import type { ClockOffset } from '../accept/clock-offset.ts';
import type { Gate, Pass } from '../pace/gate.ts';
import type { Limits } from '../pace/limits.ts';
import { probeMs } from '../pace/wait-times.ts';
import type { Books } from '../tell/books.ts';
import type { Reporter } from '../tell/reporter.ts';
import type { Waiting } from '../wait/waiting.ts';
import { type DeliveryPolicy, type Rule, ruleOf, WRONG } from './delivery-policy.ts';
import type { Evidence } from './evidence.ts';
import type { Outcome, ReadRejected } from './http/transport.ts';
import { judge } from './judge.ts';
import type { Letterbox } from './letterbox.ts';
import { requestFailed } from './request-failed.ts';
import type { Requests } from './requests.ts';
import { Trial } from './trial.ts';
import type { Trials } from './trials.ts';

/** Failed probes after which the service is to blame; if it calls the events wrong, single ones, as many as the second. */
const PROBES = 3;
const WRONG_PROBES = 10;
/** Longest wait before events go again while others are accepted. */
const MOST_WAIT_MS = 1_000;
/** The wait of an event that looks like a wrong key or address. */
const DENIED: Backoff = { baseMs: 1_000, maxMs: 60_000 };
/** The wait of an event that is probably at fault. */
const SUSPECT: Backoff = { baseMs: 60_000, maxMs: 60 * 60_000 };
/** Part of a wait that is random. Otherwise an event could meet the same other requests each time. */
const JITTER = 0.5;
/** How soon an event is sent again if its dead letter could not be stored. The service is asked once more each time. */
const STORAGE_RETRY_MS = 60_000;
interface DeliveryOptions {
  readonly clock: Clock;
  readonly random: () => number;
  readonly backoff: Backoff;
  /** The address of the service. */
  readonly url: string;
  /** Whether no event may overtake another. */
  readonly isStrict: boolean;
  /** Whether no event may overtake another of its customer. */
  readonly isOrdered: boolean;
  /** With strict order: how often one event may fail until it is set aside. Undefined: for ever. */
  readonly maxTries: number | undefined;
  readonly policy: DeliveryPolicy;
  readonly rejected: ReadRejected | undefined;
  readonly waiting: Waiting;
  readonly gate: Gate;
  readonly requests: Requests;
  readonly limits: Pick<Limits, 'bytes' | 'events'>;
  readonly evidence: Evidence;
  readonly trials: Trials;
  readonly letterbox: Letterbox;
  readonly offset: Pick<ClockOffset, 'learn'> | undefined;
  readonly books: Pick<Books, 'maybeDuplicate'>;
  readonly reporter: Pick<Reporter, 'requestFailed'>;
  /** Aborts all requests. */
  readonly signal: AbortSignal;
}

type Deliver = (trial: Trial, pass: Pass) => Promise<void>;

/** Makes what sends a parcel once, and decides by the answer what becomes of it. */
export function createDelivery(options: DeliveryOptions): Deliver {
  const { backoff, books, clock, evidence, gate, isOrdered, isStrict, letterbox, limits, maxTries } = options;
  const { offset, policy, random, rejected, reporter, requests, signal, trials, url, waiting } = options;
  async function handle(trial: Trial, pass: Pass, outcome: Outcome): Promise<void> {
    const { denied, parcel } = trial;
    let rule = ruleOf(outcome, policy);
    if (outcome.kind === 'answered' && (rule.action === 'accept' || rule.reason === 'intercepted')) {
      // If `classify` knows the answer, it is the service's.
      const named = rejected?.(parcel, outcome);
      if (named?.length === parcel.count) {
        // An answer that takes nothing is a refusal.
        rule = WRONG;
        outcome = { ...outcome, body: requests.redact(named[0]?.[1] ?? '') };
      } else if (named !== undefined || rule.action === 'accept') {
        offset?.learn(outcome.date, pass.at, clock.now());
        return accepted(trial, pass, outcome.status, named);
      }
    }
    if (signal.aborted) return;
    const now = clock.now();
    const error = requestFailed(outcome, rule, url, now);
    const { excerpt = '', retryAfterMs, status } = error;
    reporter.requestFailed(error);
    trials.answered(trial, false);
    if (denied.aborted) {
      trials.free(trial);
      return waiting.end(parcel, 'denied');
    }
    trial.status = status ?? 0;
    trial.words = excerpt;
    if (rule.isAmbiguous) books.maybeDuplicate += parcel.count;
    if (rule.isPushback) {
      const isEnough = gate.pushedBack(pass, rule.isAlive === true, retryAfterMs);
      if (retryAfterMs) gate.asked(retryAfterMs, trial);
      if (retryAfterMs) return trials.retry(trial, 0);
      // The service only wants fewer requests.
      if (isEnough) return again(trial, true);
    }
    await failed(trial, pass, rule);
  }

  async function failed(trial: Trial, pass: Pass, rule: Rule): Promise<void> {
    const { parcel } = trial;
    const { action, reason } = rule;
    const now = clock.now();
    const isAlive = evidence.isNews(trial);
    const isWrong = action === 'isolate' || action === 'split';
    const why = { ...trial, reason };
    // There may be nothing else to try: then the event at fault must be found all the same.
    const isKnownApart = action === 'pause' ? rule.endsEvent !== true : trial.whole.isAccepted;
    const isAlone = isStrict || (isOrdered && !isKnownApart && !waiting.hasOthers);
    // What waits alone fails whether the service works or not.
    if (gate.state !== 'closed' && !trial.isAlone) {
      // It waits before anybody hears of a pause: a new key lets it go at once.
      if (!isAlone) again(trial, false);
      const isOutage = gate.failed(pass, why) && action === 'retry';
      if (!isAlone) return isOutage ? evidence.absolve() : undefined;
    }
    // With the new key it may be accepted.
    if (action === 'pause' && !gate.isCurrent(pass)) return trials.retry(trial, 0);
    const failure = action === 'retry' ? 'crash' : 'refusal';
    if (action === 'isolate' && parcel.count > 1) {
      // There may be too many of them: that is sure once all parts are accepted.
      if (!trial.pair) limits.events.refused(parcel.count, now);
      trial.whole.least = Math.min(trial.whole.least, parcel.count);
    }
    const isDoubt = evidence.failed(trial, failure, isWrong, isAlone, now);
    // If nothing was accepted yet, it is the key or the address. It may be the event after some answers: others tell.
    const isUnknown = action === 'pause' && !evidence.isKnown;
    if (action === 'pause' && (rule.isAskedFor || isStrict || (isUnknown && !rule.endsEvent))) {
      again(trial, false);
      if (gate.state === 'closed') gate.hold(why);
      return;
    }
    if ((isDoubt || isUnknown) && gate.state === 'closed') {
      gate.doubt(isWrong && !isAlone ? WRONG_PROBES : PROBES);
      return again(trial, false);
    }
    const verdict = judge(rule, {
      count: parcel.count,
      failures: failure === 'crash' ? trial.crashes : trial.refusals,
      proofs: isStrict && evidence.isKnown ? Number.POSITIVE_INFINITY : trial.proofs,
      forMs: now - trial.since,
      isAlone: isAlone && !isStrict,
      isBlamed: trial.whole.isAccepted,
      share: evidence.share(failure),
      knowsChance: evidence.knowsChance,
      isFickle: evidence.isFickle(now),
      partTaken: limits.bytes.partTaken(parcel.body.length),
    });
    switch (verdict) {
      case 'drop':
        trials.free(trial);
        return waiting.end(parcel, 'refused');
      case 'halve':
        return trials.halve(trial);
      case 'shrink':
        limits.bytes.refused(parcel.body.length, now);
        return isStrict ? trials.halve(trial) : trials.shrink(trial);
      case 'end':
        if (isAlone) evidence.ended();
        return end(trial);
      case 'suspect':
        trial.whole.isGuilty = true;
        trial.isSuspect = true;
        if (
          trial.isAlone ||
          (isStrict && trial.crashes + trial.refusals < (maxTries ?? Number.POSITIVE_INFINITY))
        )
          break;
        trial.isAlone = true;
        trials.free(trial);
        trial.failures = 0;
    }
    again(trial, isAlive, action === 'pause');
  }

  /**
   * It goes again after a wait.
   *
   * @param isAlive Whether others were accepted since it failed last.
   * @param isDenial Whether it looks like a wrong key or address.
   */
  function again(trial: Trial, isAlive: boolean, isDenial: boolean = false): void {
    const { failures, isAlone } = trial;
    trial.failures += 1;
    const spread = () => 1 + JITTER * random();
    const maxMs = Math.min(backoff.maxMs, MOST_WAIT_MS);
    // Beside others that fail, it waits as if it had failed as often as all of them.
    let waitMs = probeMs(Math.max(failures, evidence.inARow - 1), backoff, random);
    if (isAlone) waitMs = backoffDelayMs(failures, SUSPECT, spread);
    else if (isDenial) waitMs = backoffDelayMs(failures, DENIED, spread);
    else if (isAlive || trial.whole.isAccepted)
      waitMs = backoffDelayMs(failures, { ...backoff, maxMs }, random);
    // If nothing was accepted since it failed first, the service may have been to blame.
    const isProven = isAlone ? trial.proofs > 1 : isDenial;
    trials.retry(trial, waitMs, isProven ? undefined : MOST_WAIT_MS * random());
  }

  /** Ends a single event that is at fault. */
  async function end(trial: Trial): Promise<void> {
    const { parcel, status, words } = trial;
    trial.whole.isGuilty = true;
    trials.free(trial);
    // If it fails, the storage is to blame, not the service: only this event waits.
    if (!(await letterbox.put(parcel, status, words))) trials.retry(trial, STORAGE_RETRY_MS);
  }

  /** @param rejected The events that the answer names as rejected. */
  async function accepted(
    trial: Trial,
    pass: Pass,
    status: number,
    rejected: ReturnType<ReadRejected>,
  ): Promise<void> {
    const { crashes, denied, parcel, whole } = trial;
    const now = clock.now();
    gate.accepted(pass);
    evidence.accepted(trial, now);
    trials.answered(trial, true);
    requests.accepted();
    limits.bytes.accepted(parcel.body.length, now);
    limits.events.accepted(parcel.count, now);
    const isTooMany = whole.open === 0 && !whole.isGuilty && whole.least < Number.POSITIVE_INFINITY;
    if (isTooMany) limits.events.refused(whole.least, now);
    const reasons = new Map(rejected);
    const indexes = [...reasons.keys()].flatMap((index) => [index, index + 1]);
    let index = 0;
    for (const part of waiting.cut(parcel, ...indexes)) {
      const reason = reasons.get(index);
      index += part.count;
      // A request that failed without an answer may still be running, and read the body.
      if (reason === undefined)
        await waiting.end(part, 'delivered', crashes === 0 && requests.releasesBodies);
      else {
        const one = new Trial(part, denied);
        one.status = status;
        one.words = requests.redact(reason);
        await end(one);
      }
    }
  }

  return async (trial, pass) => {
    const { pair, parcel, sent } = trial;
    const now = clock.now();
    evidence.sent(trial);
    limits.bytes.sent(parcel.body.length, now);
    if (!pair) limits.events.sent(parcel.count, now);
    try {
      await handle(trial, pass, await requests.post(parcel, sent > 0));
    } finally {
      gate.end(pass);
    }
  };
}
