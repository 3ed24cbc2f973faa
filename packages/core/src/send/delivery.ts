import { type Backoff, backoffDelayMs, parseRetryAfter } from '@sluice/protocol';
import { abortAfter, type Clock, sleep } from '../base/clock.ts';
import { excerptOf } from '../base/excerpt.ts';
import type { Gate, Pass } from '../pace/gate.ts';
import type { SizeLimit } from '../pace/size-limit.ts';
import { type Batch, cutBatch } from '../wait/batch.ts';
import { type DeliveryPolicy, INTERCEPTED, type Rule, ruleFor } from './delivery-policy.ts';
import type { Evidence } from './evidence.ts';
import { failedAttempt } from './failed-attempt.ts';
import { isIntercepted } from './http/interception.ts';
import type { ReadRejected } from './http/read-rejected.ts';
import type { Outcome, Outliving } from './http/transport.ts';
import { type Piece, Pieces } from './pieces.ts';
import type { Requests } from './requests.ts';
import { type OutgoingLane, Settlement, type SettlementOptions } from './settlement.ts';

/** After this many refusals a single event is refused for good, even if each refusal had another status. */
const MAX_REFUSALS = 4;
/** After this many slow refusals, the wait before the next request no longer grows. */
const SLOWEST = 3;
/** How soon an event is sent again if its dead letter could not be stored. The service is asked once more each time. */
const STORAGE_RETRY_MS = 60_000;
/** Batches that wait for a retry in memory; others wait in the journal. */
const MOST_PARKED = 8;
const BLOCKED: Rule = { action: 'pause', reason: 'blocked' };
/** Takes the place of an answer if a request got none. */
const NO_ANSWER: Answer = { kind: 'answered', status: 0, retryAfter: undefined, body: '' };

type Answer = Extract<Outcome, { kind: 'answered' }>;

/** A request that cannot wait, with its pass. */
export interface FirstRequest {
  readonly pass: Pass;
  readonly outlives: Outliving;
}

export interface DeliveryOptions extends SettlementOptions {
  readonly clock: Clock;
  readonly random: () => number;
  readonly backoff: Backoff;
  /** Whether no event may overtake another. */
  readonly isStrict: boolean;
  readonly policy: DeliveryPolicy;
  readonly rejected?: ReadRejected | undefined;
  readonly gate: Gate;
  readonly requests: Requests;
  readonly sizeLimit: SizeLimit;
  readonly evidence: Evidence;
  /** Aborts all deliveries and requests. */
  readonly abort: AbortController;
}

/** Handles one batch until its end, in as many pieces as needed: delivered, kept as dead letters, dropped or put back. */
export class Delivery {
  readonly #options: DeliveryOptions;
  /** The lane of the batch. */
  readonly #lane: OutgoingLane;
  readonly #settlement: Settlement;
  readonly #pieces: Pieces;
  /** Number of slow refusals: those that are not worth many requests. */
  #slowness = 0;
  #restsBefore = false;
  /** Set until the first request is made, if that cannot wait. */
  #first: FirstRequest | undefined;
  /** Aborts when this delivery must end as soon as it has no pending request. */
  readonly #stop: AbortSignal;
  /** Aborts when consent to send the batch is denied. */
  readonly #denied: AbortSignal;

  constructor(options: DeliveryOptions, lane: OutgoingLane, stop: AbortSignal = options.abort.signal) {
    this.#options = options;
    this.#stop = stop;
    this.#lane = lane;
    this.#denied = lane.underWay.denied;
    this.#settlement = new Settlement(options, lane);
    this.#pieces = new Pieces(options, lane);
  }

  /** @param first Left out if the request may wait. Otherwise the request is made before this function returns. */
  async run(batch: Batch, first?: FirstRequest): Promise<void> {
    this.#first = first;
    const { isStrict, journal, verdicts } = this.#options;
    const isDoubted = verdicts.blameTheService && !isStrict && first === undefined;
    if (isDoubted) this.#pieces.sample(batch);
    else this.#pieces.add(batch);
    for (let piece = this.#pieces.next(); piece !== undefined; piece = this.#pieces.next()) {
      if (await this.#send(piece)) continue;
      // Stopped. If other tabs share the journal, put the pieces back so that those can send them.
      if (journal.sharing) this.#pieces.leave();
      return;
    }
  }

  /** Whether all remaining pieces were refused while other batches were accepted. Then they are no test of the service. */
  get isSuspect(): boolean {
    return this.#pieces.areSuspect;
  }

  /** Resolves to true once a piece has ended, was cut in halves or waits elsewhere; to false if it was stopped before. */
  async #send(piece: Piece): Promise<boolean> {
    const { clock, sizeLimit } = this.#options;
    const { batch, isAtFault = false } = piece;
    const isTooLarge = sizeLimit.isTooLarge(batch.body.length, clock.now());
    if (batch.events.ends.length > 1 && (isAtFault || isTooLarge)) {
      this.#pieces.cut(piece, isAtFault);
      return true;
    }
    const expiresInMs = this.#lane.batcher.expiresInMs(batch);
    const expiry = abortAfter(clock, expiresInMs, this.#stop, this.#denied);
    try {
      return await this.#sendUntil(piece, expiry.signal);
    } finally {
      expiry.cancel();
    }
  }

  /** @param waiting Aborts waits between two requests. */
  async #sendUntil(piece: Piece, waiting: AbortSignal): Promise<boolean> {
    const { clock, evidence, gate, requests } = this.#options;
    const { batch } = piece;
    for (;;) {
      if (piece.again !== undefined) await piece.again;
      const waitMs = piece.suspicion ? evidence.waitMs(piece.suspicion, clock.now()) : 0;
      if (waitMs > 0) await gate.park(waitMs, waiting);
      if (this.#restsBefore) await this.#rest(waiting);
      if (piece.failures > 0 && piece.owesBudget && this.#putAside(batch)) return true;
      const first = this.#first;
      this.#first = undefined;
      const pass = first?.pass ?? (await gate.admit(sizeOf(piece), piece.owesBudget, waiting));
      if (pass === undefined) {
        if (this.#denied.aborted) await this.#settlement.end(batch, 'denied');
        else if (this.#stop.aborted) return false;
        else await this.#settlement.expired(batch);
        return true;
      }
      try {
        piece.request = evidence.sent();
        const outcome = await requests.post(batch, piece.isRepeated, first?.outlives);
        piece.isRepeated = true;
        piece.again = undefined;
        if (await this.#judge(piece, pass, outcome, waiting)) return true;
      } finally {
        gate.end();
      }
    }
  }

  /** Acts on the outcome of a request. Returns true if nothing is left to do for the piece; otherwise it is sent again. */
  async #judge(piece: Piece, pass: Pass, outcome: Outcome, waiting: AbortSignal): Promise<boolean> {
    const { abort, books, clock, gate, reporter, requests, sizeLimit } = this.#options;
    const { batch, refusals } = piece;
    const now = clock.now();
    const answer = outcome.kind === 'answered' ? outcome : NO_ANSWER;
    const { status } = answer;
    const rule = outcome.kind === 'answered' ? this.#ruleOf(batch, answer) : ruleOfFailure(outcome);
    if (rule.action === 'accept') {
      await this.#accepted(piece, pass, answer);
      return true;
    }
    if (abort.signal.aborted) return false;
    reporter.failedAttempt(failedAttempt(outcome, rule, now));
    // Send the next try uncompressed if that may help: some servers fail on a body that they cannot parse.
    const isNobodys = rule === BLOCKED || rule === INTERCEPTED;
    const isEncodingAtFault = !isNobodys && requests.isEncodingAtFault(batch, status || undefined);
    if (rule.action === 'retry') {
      if (rule.isAmbiguous) books.maybeDuplicate += batch.events.ends.length;
      const { failures } = piece;
      const retryAfterMs = parseRetryAfter(answer.retryAfter, now);
      piece.again = gate.failed(pass, { ...rule, failures, retryAfterMs }, waiting);
      piece.failures += 1;
      // A service that pushes back did no work for the request, and says itself how much it can take: no budget needed.
      piece.owesBudget = !rule.isPushback;
      return false;
    }
    if (isEncodingAtFault) {
      gate.answered(pass);
      return false;
    }
    if (rule.action === 'pause') {
      if (rule.suspect && !rule.isAskedFor && !this.#options.isStrict)
        return this.#suspect(piece, pass, rule, answer);
      gate.hold(pass, rule.reason ?? 'policy', status, rule.isSlow);
      return false;
    }
    if (rule.action === 'drop') {
      gate.answered(pass);
      await this.#settlement.end(batch, 'refused');
      return true;
    }
    const { length } = batch.body;
    const isSingle = batch.events.ends.length === 1;
    // A single event is too large, though larger bodies were accepted recently: another server may have answered.
    const isOdd = isSingle && refusals.length === 0 && sizeLimit.tookAsLarge(length);
    const isSize = rule.action === 'split' && !isOdd;
    if (isSize) sizeLimit.refused(length, now);
    if (rule.isSlow) {
      this.#restsBefore = true;
      this.#slowness += 1;
    }
    const isBlamed = this.#options.verdicts.blameTheService;
    // The service works: what it says about these events says nothing about others.
    if (!isBlamed || !isSingle) gate.answered(pass);
    if (!isSingle) {
      this.#pieces.cut(piece, !isSize);
      return true;
    }
    const isRepeated = refusals.includes(status) || refusals.length + 1 >= MAX_REFUSALS;
    refusals.push(status);
    return (isSize || isRepeated || isBlamed) && this.#endSingle(piece, pass, answer);
  }

  /** The rule for an answer. One that is not the service's accepts nothing, unless the user's policy or `classify` says so. */
  #ruleOf(batch: Batch, answer: Answer): Rule {
    const { policy, rejected } = this.#options;
    const rule = ruleFor(answer.status, policy);
    const isOdd = rule.action === 'accept' && !rule.isAskedFor && isIntercepted(answer);
    return isOdd && rejected?.(batch, answer) === undefined ? INTERCEPTED : rule;
  }

  /**
   * The service refuses our key or address, but one event may be the reason. While the service accepts other batches, only this
   * batch waits: it is sent again and halved, until one event is left. Otherwise the sender pauses, and events that were never
   * refused are tried first. Returns as `#judge` does.
   */
  async #suspect(piece: Piece, pass: Pass, rule: Rule, answer: Answer): Promise<boolean> {
    const { clock, evidence, gate } = this.#options;
    const { batch } = piece;
    const now = clock.now();
    if (!gate.isCurrent(pass)) return false;
    const isHalf = piece.suspicion === undefined && piece.sibling !== undefined;
    piece.suspicion ??= evidence.suspicionOf(batch.range);
    evidence.refused(piece.suspicion, now);
    if (evidence.isDoubted) {
      gate.hold(pass, rule.reason ?? 'policy', answer.status, rule.isSlow);
      const { backlog } = this.#lane;
      if (backlog.fresh + backlog.stored > 0 && this.#pieces.putBack(batch)) return true;
    } else {
      gate.answered(pass);
      if (batch.events.ends.length > 1 && (isHalf || piece.suspicion.tries > 1)) {
        // Other pieces go first. If the service accepts them, the event at fault is known to be in this one.
        this.#pieces.cut(piece, true, true);
        return true;
      }
      const isProven = rule.suspect === 'ends' && evidence.isProven(piece.suspicion, now);
      if (isProven && batch.events.ends.length === 1) return this.#endSingle(piece, pass, answer);
    }
    this.#pieces.putLast(piece);
    return true;
  }

  /**
   * Ends an event that is refused for good, unless the service is to blame. Returns whether the event ended or waits elsewhere.
   */
  async #endSingle(piece: Piece, pass: Pass, { status, body }: Answer): Promise<boolean> {
    const { gate, isStrict, verdicts } = this.#options;
    const { batch, isHeld } = piece;
    const isBlamed = verdicts.blameTheService;
    // An event that cannot be put back must not block all others forever.
    const isEnding = !isBlamed || isHeld;
    const isEnded = isEnding && (await this.#settlement.deadLettered(batch, status, excerptOf(body)));
    if (isBlamed) gate.hold(pass, 'refused', status);
    if (isEnded) {
      this.#options.evidence.forget(batch.range);
      if (!isStrict) this.#pieces.largestNext();
      return true;
    }
    if (isBlamed && !isStrict && this.#pieces.putBack(batch)) return true;
    if (isBlamed) piece.isHeld = true;
    // The storage is to blame, not the service: only this event waits.
    else piece.again = gate.park(STORAGE_RETRY_MS, this.#stop);
    return false;
  }

  async #accepted(piece: Piece, pass: Pass, answer: Answer): Promise<void> {
    const { clock, evidence, gate, rejected, requests, sizeLimit } = this.#options;
    const { batch, failures, isAtFault = false, isHeld, sibling, suspicion } = piece;
    const { backlog, underWay } = this.#lane;
    const count = batch.events.ends.length;
    gate.accepted(pass);
    evidence.accepted(piece.request, isAtFault || suspicion !== undefined, clock.now());
    evidence.forget(batch.range);
    requests.accepted(batch);
    sizeLimit.accepted(batch.body.length, clock.now());
    underWay.delete(batch);
    if (sibling !== undefined) sibling.isAtFault = true;
    let from = 0;
    for (const [index, reason] of rejected?.(batch, answer) ?? []) {
      if (index > from) await this.#settlement.delivered(cutBatch(batch, from, index));
      const event = this.#pieces.take(cutBatch(batch, index, index + 1));
      event.isHeld = isHeld;
      const isEnded = await this.#endSingle(event, pass, { ...answer, body: requests.redact(reason) });
      if (!isEnded) this.#pieces.putNext(event);
      from = index + 1;
    }
    if (from < count) await this.#settlement.delivered(from === 0 ? batch : cutBatch(batch, from, count));
    // Reuse the batch's memory, unless a request may still read it: one that failed without an answer may still be running.
    if (failures === 0 && requests.releasesBodies && batch.memory) backlog.bodies.give(batch.memory);
  }

  /** Puts a batch back into the journal if many batches already wait for a retry, so that others can be sent. */
  #putAside(batch: Batch): boolean {
    const { gate, isStrict } = this.#options;
    const isCrowded = gate.parked >= MOST_PARKED && gate.retryWaitMs > 0;
    const isEnding = this.#stop.aborted || this.#denied.aborted;
    return isCrowded && !isStrict && !isEnding && this.#lane.underWay.putBack(batch, 'aside');
  }

  /** Waits after a refusal that is not worth many requests. */
  async #rest(waiting: AbortSignal): Promise<void> {
    this.#restsBefore = false;
    const { backoff, clock, random } = this.#options;
    await sleep(clock, backoffDelayMs(Math.min(this.#slowness, SLOWEST), backoff, random), waiting);
  }
}

/** Among waiting requests the smallest goes first. A suspected piece goes last. */
function sizeOf({ batch, suspicion }: Piece): number {
  return suspicion === undefined ? batch.events.ends.length : Number.POSITIVE_INFINITY;
}

/** The rule for a request that got no answer. */
function ruleOfFailure({ isBlocked, maybeSent }: Extract<Outcome, { kind: 'failed' }>): Rule {
  return isBlocked ? BLOCKED : { action: 'retry', isAmbiguous: maybeSent };
}
