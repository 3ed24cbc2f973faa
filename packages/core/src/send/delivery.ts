import { type Backoff, backoffDelayMs, parseRetryAfter } from '@sluice/protocol';
import { abortAfter, type Clock, sleep } from '../base/clock.ts';
import { excerptOf } from '../base/excerpt.ts';
import type { Gate } from '../pace/gate.ts';
import type { Pass } from '../pace/pass.ts';
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

/** An event that is refused each time in another way is refused. */
const MAX_REFUSALS = 4;
/** Refusals after which the wait before the next try does not grow. */
const SLOWEST = 3;
/** How soon a dead letter that could not be kept is tried again: the service is asked once more each time. */
const STORAGE_RETRY_MS = 60_000;
/** Batches that wait for a retry in memory; others wait in the journal. */
const MOST_PARKED = 8;
const BLOCKED: Rule = { action: 'pause', reason: 'blocked' };
/** What stands for the answer of a request that had none. */
const NO_ANSWER: Answer = { kind: 'answered', status: 0, retryAfter: undefined, body: '' };

type Answer = Extract<Outcome, { kind: 'answered' }>;

/** A request that cannot wait, and may be made. */
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
  /** Ends what is under way. */
  readonly abort: AbortController;
}

/** Sees one batch through to its end, in as many pieces as it takes: delivered, kept as dead letters, dropped or put back. */
export class Delivery {
  readonly #options: DeliveryOptions;
  /** The one that the batch is of. */
  readonly #lane: OutgoingLane;
  readonly #settlement: Settlement;
  readonly #pieces: Pieces;
  /** How often the service refused in a way that is not worth many requests. */
  #slowness = 0;
  #restsBefore = false;
  /** How the first request is made. */
  #first: FirstRequest | undefined;
  /** Ends it as soon as no request of it is under way. */
  readonly #stop: AbortSignal;
  /** Has aborted once consent to send it is denied. */
  readonly #denied: AbortSignal;

  constructor(options: DeliveryOptions, lane: OutgoingLane, stop: AbortSignal = options.abort.signal) {
    this.#options = options;
    this.#stop = stop;
    this.#lane = lane;
    this.#denied = lane.underWay.denied;
    this.#settlement = new Settlement(options, lane);
    this.#pieces = new Pieces(options, lane);
  }

  /** @param first Left out where it may wait. Otherwise it is made before this returns. */
  async run(batch: Batch, first?: FirstRequest): Promise<void> {
    this.#first = first;
    const { isStrict, journal, verdicts } = this.#options;
    const isDoubted = verdicts.blameTheService && !isStrict && first === undefined;
    if (isDoubted) this.#pieces.sample(batch);
    else this.#pieces.add(batch);
    for (let piece = this.#pieces.next(); piece !== undefined; piece = this.#pieces.next()) {
      if (await this.#send(piece)) continue;
      // Where nobody else may see to it, it is left as it is.
      if (journal.sharing) this.#pieces.leave();
      return;
    }
  }

  /** Whether all that is left of the batch was refused while others were accepted: it is not what to ask with how the service is. */
  get isSuspect(): boolean {
    return this.#pieces.areSuspect;
  }

  /** Resolves once a piece has met its end, goes on in parts or waits elsewhere; to false where it is stopped before. */
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

  /** @param waiting Aborts what is waited for between two requests. */
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

  /** What an outcome means for a piece. Returns whether nothing is left to be done for it: otherwise it is sent again. */
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
    // The next try goes as it is where that may help: some servers fail at what they cannot parse.
    const isNobodys = rule === BLOCKED || rule === INTERCEPTED;
    const isEncodingAtFault = !isNobodys && requests.isEncodingAtFault(batch, status || undefined);
    if (rule.action === 'retry') {
      if (rule.isAmbiguous) books.maybeDuplicate += batch.events.ends.length;
      const { failures } = piece;
      const retryAfterMs = parseRetryAfter(answer.retryAfter, now);
      piece.again = gate.failed(pass, { ...rule, failures, retryAfterMs }, waiting);
      piece.failures += 1;
      // A service that pushes back did no work for it, and says itself how much it bears.
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
    // One event, and larger bodies were accepted of late: it may be another one who answers.
    const isOdd = isSingle && refusals.length === 0 && sizeLimit.tookAsLarge(length);
    const isSize = rule.action === 'split' && !isOdd;
    if (isSize) sizeLimit.refused(length, now);
    if (rule.isSlow) {
      this.#restsBefore = true;
      this.#slowness += 1;
    }
    const isBlamed = this.#options.verdicts.blameTheService;
    // The service answered and works: what it says of these events says nothing of others.
    if (!isBlamed || !isSingle) gate.answered(pass);
    if (!isSingle) {
      this.#pieces.cut(piece, !isSize);
      return true;
    }
    const isRepeated = refusals.includes(status) || refusals.length + 1 >= MAX_REFUSALS;
    refusals.push(status);
    return (isSize || isRepeated || isBlamed) && this.#endSingle(piece, pass, answer);
  }

  /** What is done with an answer. One that is not the service's accepts nothing, unless the user says that it is. */
  #ruleOf(batch: Batch, answer: Answer): Rule {
    const { policy, rejected } = this.#options;
    const rule = ruleFor(answer.status, policy);
    const isOdd = rule.action === 'accept' && !rule.isAskedFor && isIntercepted(answer);
    return isOdd && rejected?.(batch, answer) === undefined ? INTERCEPTED : rule;
  }

  /**
   * The service may find fault with an event, or with us. While it accepts others it is this batch that waits, is asked about
   * again and halved, until one event is found. Otherwise all wait, and what was never refused is tried first. Returns true:
   * it goes on later.
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
        // What is behind it comes first: where that is accepted, the event at fault is known to be in here.
        this.#pieces.cut(piece, true, true);
        return true;
      }
      const isProven = rule.suspect === 'ends' && evidence.isProven(piece.suspicion, now);
      if (isProven && batch.events.ends.length === 1) return this.#endSingle(piece, pass, answer);
    }
    this.#pieces.putLast(piece);
    return true;
  }

  /** Ends an event that is refused for good, unless it is the service that is to blame. Returns whether it did, or waits elsewhere. */
  async #endSingle(piece: Piece, pass: Pass, { status, body }: Answer): Promise<boolean> {
    const { gate, isStrict, verdicts } = this.#options;
    const { batch, isHeld } = piece;
    const isBlamed = verdicts.blameTheService;
    // One that cannot be put back is not to stand in the way of all others for ever.
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
    // It is for the storage to blame that it cannot be ended: others go on.
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
    // What the batch lies in may be used again, unless somebody may still read it: a request that had no answer may not be over.
    if (failures === 0 && requests.releasesBodies && batch.memory) backlog.bodies.give(batch.memory);
  }

  /** Leaves a batch to the journal where many wait for a retry already, so that others can go. */
  #putAside(batch: Batch): boolean {
    const { gate, isStrict } = this.#options;
    const isCrowded = gate.parked >= MOST_PARKED && gate.retryWaitMs > 0;
    const isEnding = this.#stop.aborted || this.#denied.aborted;
    return isCrowded && !isStrict && !isEnding && this.#lane.underWay.putBack(batch, 'aside');
  }

  /** After a refusal that is not worth many requests. */
  async #rest(waiting: AbortSignal): Promise<void> {
    this.#restsBefore = false;
    const { backoff, clock, random } = this.#options;
    await sleep(clock, backoffDelayMs(Math.min(this.#slowness, SLOWEST), backoff, random), waiting);
  }
}

/** By which the smallest of those that wait goes first: what is suspected goes last. */
function sizeOf({ batch, suspicion }: Piece): number {
  return suspicion === undefined ? batch.events.ends.length : Number.POSITIVE_INFINITY;
}

/** What is done where there is no answer. */
function ruleOfFailure({ isBlocked, maybeSent }: Extract<Outcome, { kind: 'failed' }>): Rule {
  return isBlocked ? BLOCKED : { action: 'retry', isAmbiguous: maybeSent };
}
