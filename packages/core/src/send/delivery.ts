import { parseRetryAfter } from '@sluice/protocol';
import { abortAfter, type Backoff, backoffDelayMs, type Clock, sleep } from '@sluice/protocol/toolbox';
import { excerptOf } from '../base/excerpt.ts';
import type { Gate } from '../pace/gate.ts';
import type { SizeLimit } from '../pace/limits.ts';
import type { Pass } from '../pace/pass.ts';
import type { Books } from '../tell/books.ts';
import type { Reporter } from '../tell/reporter.ts';
import type { Parcel } from '../wait/parcel.ts';
import { type DeliveryPolicy, type Rule, ruleOf } from './delivery-policy.ts';
import type { Evidence } from './evidence.ts';
import { failedAttempt } from './failed-attempt.ts';
import type { ReadRejected } from './http/read-rejected.ts';
import type { Outcome } from './http/transport.ts';
import { type Piece, Pieces } from './isolate.ts';
import { judge, type Verdict } from './judge.ts';
import type { Letterbox } from './letterbox.ts';
import type { FirstRequest, Requests } from './requests.ts';
import type { Waiting } from './waiting.ts';

/** After this many refusals that are not worth many requests, the wait before the next request no longer grows. */
const SLOWEST = 3;
/** How soon an event is sent again if its dead letter could not be stored. The service is asked once more each time. */
const STORAGE_RETRY_MS = 60_000;
/** Parcels that wait for a retry in memory; others wait in the journal. */
const MOST_PARKED = 8;
/** Takes the place of an answer if a request got none. */
const NO_ANSWER: Answer = { kind: 'answered', status: 0, retryAfter: undefined, body: '' };

type Answer = Extract<Outcome, { kind: 'answered' }>;

export interface DeliveryOptions {
  readonly clock: Clock;
  readonly random: () => number;
  readonly backoff: Backoff;
  /** Whether no event may overtake another. */
  readonly isStrict: boolean;
  readonly policy: DeliveryPolicy;
  readonly rejected: ReadRejected | undefined;
  readonly waiting: Waiting;
  readonly gate: Gate;
  readonly requests: Requests;
  readonly sizeLimit: SizeLimit;
  readonly evidence: Evidence;
  readonly letterbox: Letterbox;
  readonly books: Pick<Books, 'maybeDuplicate'>;
  readonly reporter: Pick<Reporter, 'failedAttempt'>;
  /** Aborts all requests. */
  readonly signal: AbortSignal;
}

/** Handles one parcel until its end, in as many pieces as needed: delivered, kept as dead letters, dropped or put back. */
export class Delivery {
  readonly #options: DeliveryOptions;
  readonly #pieces: Pieces;
  /** Number of refusals that are not worth many requests. */
  #slowness = 0;
  /** Resolves when the next request may be made. */
  #rest: Promise<void> | undefined;
  /** Set until the first request is made, if that cannot wait. */
  #first: FirstRequest | undefined;
  /** Aborts when this delivery must end as soon as it has no pending request. */
  readonly #stop: AbortSignal;
  /** Aborts when consent to send the parcel is denied. */
  readonly #denied: AbortSignal;

  constructor(options: DeliveryOptions, stop: AbortSignal) {
    this.#options = options;
    this.#stop = stop;
    this.#denied = options.waiting.denied;
    this.#pieces = new Pieces(options.waiting, options.evidence);
  }

  /** @param first Left out if the request may wait. Otherwise the request is made before this function returns. */
  async run(parcel: Parcel, first?: FirstRequest): Promise<void> {
    const { clock, evidence, isStrict, signal } = this.#options;
    const pieces = this.#pieces;
    this.#first = first;
    if (evidence.blamesService && !isStrict && first === undefined)
      pieces.addSample(parcel, Math.floor(clock.now() % parcel.count));
    else pieces.add(parcel);
    for (let piece = pieces.next(); piece !== undefined; piece = pieces.next()) {
      if (await this.#send(piece)) continue;
      // Stopped. The turn is over, or the tracker closes, which leaves all to the journal.
      if (!signal.aborted) pieces.leave();
      return;
    }
  }

  /** Whether all remaining pieces were refused while other parcels were accepted. Then they are no test of the service. */
  get isSuspect(): boolean {
    return this.#pieces.areSuspect;
  }

  /** Sends a piece until it has ended, was cut in halves or waits elsewhere. Resolves to false if it was stopped before. */
  async #send(piece: Piece): Promise<boolean> {
    const { clock, evidence, gate, requests, sizeLimit, waiting } = this.#options;
    const { count, pair, parcel } = piece;
    const isAtFault = pair?.isAccepted === true;
    if (count > 1 && (isAtFault || sizeLimit.isTooLarge(parcel.body.length, clock.now()))) {
      this.#pieces.cut(piece, isAtFault);
      return true;
    }
    const end = abortAfter(clock, waiting.expiresInMs(parcel), this.#stop, this.#denied);
    try {
      for (;;) {
        const first = this.#first;
        this.#first = undefined;
        // Nothing is awaited before the first request: the page may be gone.
        const waits = first === undefined && (piece.again || piece.suspicion || this.#rest);
        if (waits) await this.#wait(piece, end.signal);
        // If many parcels wait for a retry, leave this one to the journal, so that others can be sent.
        const isCrowded = piece.failures > 0 && gate.parked >= MOST_PARKED && !end.signal.aborted;
        const isOverBudget = isCrowded && piece.owesBudget && gate.retryWaitMs > 0;
        if (isOverBudget && waiting.putBack(parcel, 'aside')) return true;
        // Among waiting requests the smallest goes first, and a suspected piece last.
        const size = piece.suspicion ? Number.POSITIVE_INFINITY : count;
        const pass = first?.pass ?? (await gate.admit(size, piece.owesBudget, end.signal));
        if (pass === undefined) {
          const isDenied = this.#denied.aborted;
          if (this.#stop.aborted && !isDenied) return false;
          await waiting.end(parcel, isDenied ? 'denied' : 'expired');
          return true;
        }
        try {
          const isRepeated = piece.owesBudget || piece.request > 0;
          piece.request = evidence.sent();
          const outcome = await requests.post(parcel, isRepeated, first?.outlives);
          if (await this.#handle(piece, pass, outcome, end.signal)) return true;
        } finally {
          gate.end();
        }
      }
    } finally {
      end.cancel();
    }
  }

  /** Waits as long as the piece must wait, or until the signal aborts. */
  async #wait(piece: Piece, end: AbortSignal): Promise<void> {
    const { clock, evidence, gate } = this.#options;
    const { suspicion } = piece;
    await piece.again;
    piece.again = undefined;
    const waitMs = suspicion ? evidence.waitMs(suspicion, clock.now()) : 0;
    if (waitMs > 0) await gate.park(waitMs, end);
    await this.#rest;
  }

  /** Handles the outcome of a request. Returns true if nothing is left to do for the piece; otherwise it is sent again. */
  async #handle(piece: Piece, pass: Pass, outcome: Outcome, end: AbortSignal): Promise<boolean> {
    const { clock, evidence, gate, policy, rejected, reporter, requests, signal, waiting } = this.#options;
    const { parcel } = piece;
    const pieces = this.#pieces;
    const now = clock.now();
    const answer = outcome.kind === 'answered' ? outcome : NO_ANSWER;
    const { status } = answer;
    const rule = ruleOf(outcome, policy);
    const { action } = rule;
    const isAccepting = action === 'accept' || rule.reason === 'intercepted';
    // If `classify` knows the answer, it is the service's.
    const named = isAccepting ? rejected?.(parcel, answer) : undefined;
    if (action === 'accept' || named !== undefined) {
      await this.#accepted(piece, pass, answer, named);
      return true;
    }
    if (signal.aborted) return false;
    reporter.failedAttempt(failedAttempt(outcome, rule, now));
    // Send the next try uncompressed if that may help: some servers fail on a body that they cannot parse.
    const isEncodingAtFault = !rule.isForeign && requests.isEncodingAtFault(parcel, status || undefined);
    if (isEncodingAtFault && action !== 'retry') {
      gate.answered(pass);
      return false;
    }
    const verdict = this.#judge(piece, pass, rule, status);
    switch (verdict) {
      case 'retry':
        this.#retry(piece, pass, rule, parseRetryAfter(answer.retryAfter, now), end);
        return false;
      case 'pause':
      case 'doubt':
        gate.hold(pass, rule.reason ?? 'policy', status, rule.isSlow);
        if (verdict === 'pause') return false;
        if (!waiting.hasOthers(parcel) || !pieces.putBack(piece)) pieces.putLast(piece);
        return true;
      case 'end':
        if (!evidence.blamesService) gate.answered(pass);
        return this.#end(piece, pass, answer);
    }
    // The service works: what it says about these events says nothing about others.
    gate.answered(pass);
    if (verdict === 'again') return false;
    if (verdict === 'drop') await waiting.end(parcel, 'refused');
    else if (verdict === 'suspect') pieces.putLast(piece);
    else pieces.cut(piece, verdict !== 'shrink', verdict === 'halve-later');
    return true;
  }

  /** Judges an answer that accepts nothing, and remembers it. */
  #judge(piece: Piece, pass: Pass, rule: Rule, status: number): Verdict {
    const { backoff, clock, evidence, gate, isStrict, random, sizeLimit } = this.#options;
    const { count, pair, parcel, refusals } = piece;
    const { action, suspect } = rule;
    const { length } = parcel.body;
    const now = clock.now();
    // With strict order no event may overtake another, so none is suspected.
    const isSuspect = suspect !== undefined && !isStrict && gate.isCurrent(pass);
    if (isSuspect) piece.suspicion ??= evidence.suspicionOf(parcel);
    const verdict = judge(rule, status, {
      count,
      finding: isSuspect && piece.suspicion ? evidence.refused(piece.suspicion, now) : undefined,
      isBlamed: evidence.blamesService,
      isHalf: pair !== undefined,
      refusals,
      tookAsLarge: sizeLimit.tookAsLarge?.(length) ?? true,
    });
    if (action === 'split' && verdict !== 'again') sizeLimit.refused(length, now);
    if (action === 'split' || action === 'isolate') refusals.push(status);
    if (action === 'isolate' && rule.isSlow) {
      this.#slowness = Math.min(SLOWEST, this.#slowness + 1);
      this.#rest = sleep(clock, backoffDelayMs(this.#slowness, backoff, random), this.#stop);
    }
    return verdict;
  }

  #retry(piece: Piece, pass: Pass, rule: Rule, retryAfterMs: number | undefined, end: AbortSignal): void {
    const { books, gate } = this.#options;
    const { count, failures } = piece;
    if (rule.isAmbiguous) books.maybeDuplicate += count;
    piece.again = gate.failed(pass, { ...rule, failures, retryAfterMs }, end);
    piece.failures += 1;
    // A service that pushes back did no work for the request, and says itself how much it can take: no budget needed.
    piece.owesBudget = !rule.isPushback;
  }

  /**
   * Ends a single event that is at fault, unless the service is to blame. Returns whether the event ended or waits elsewhere.
   */
  async #end(piece: Piece, pass: Pass, { body, status }: Answer): Promise<boolean> {
    const { evidence, gate, isStrict, letterbox } = this.#options;
    const { parcel } = piece;
    const pieces = this.#pieces;
    const isBlamed = evidence.blamesService;
    if (isBlamed) gate.hold(pass, 'refused', status);
    // If it cannot be put back, it is held back once. It must not block all others forever.
    if (isBlamed && !piece.isHeld) {
      if (pieces.putBack(piece)) return true;
      piece.isHeld = true;
      return false;
    }
    // Counted before the letter is stored, because others are judged meanwhile.
    evidence.count(0, 1);
    if (await letterbox.put(parcel, status, excerptOf(body))) {
      evidence.forget(parcel);
      if (!isStrict) pieces.largestNext();
      return true;
    }
    // The storage is to blame, not the service: only this event waits, and will be judged again.
    evidence.count(0, -1);
    piece.again = gate.park(STORAGE_RETRY_MS, this.#stop);
    return false;
  }

  /** @param rejected The events that the answer names as rejected. */
  async #accepted(
    piece: Piece,
    pass: Pass,
    answer: Answer,
    rejected: ReturnType<ReadRejected>,
  ): Promise<void> {
    const { clock, evidence, gate, requests, sizeLimit, waiting } = this.#options;
    const { failures, isHeld, pair, parcel, request, suspicion } = piece;
    const now = clock.now();
    gate.accepted(pass);
    evidence.accepted(request, pair?.isAccepted === true || suspicion !== undefined, now);
    evidence.forget(parcel);
    requests.accepted(parcel);
    sizeLimit.accepted(parcel.body.length, now);
    if (pair) pair.isAccepted = true;
    const reasons = new Map(rejected);
    const indexes = [...reasons.keys()].flatMap((index) => [index, index + 1]);
    let index = 0;
    for (const part of indexes.length > 0 ? waiting.cut(parcel, ...indexes) : [parcel]) {
      const reason = reasons.get(index);
      index += part.count;
      if (reason === undefined) {
        evidence.count(part.count, 0);
        // A request that failed without an answer may still be running, and read the body.
        await waiting.end(part, 'delivered', failures === 0 && requests.releasesBodies);
        continue;
      }
      const event = this.#pieces.pieceOf(part);
      event.isHeld = isHeld;
      const isEnded = await this.#end(event, pass, { ...answer, body: requests.redact(reason) });
      if (!isEnded) this.#pieces.putNext(event);
    }
  }
}
