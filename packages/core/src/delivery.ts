import { type Backoff, backoffDelayMs, parseRetryAfter } from '@sluice/protocol';
import { type Batch, cutBatch, splitBatch } from './batch.ts';
import { abortAfter, type Clock, sleep } from './clock.ts';
import { type DeliveryPolicy, type Rule, ruleFor } from './delivery-policy.ts';
import { excerptOf } from './excerpt.ts';
import { failedAttempt } from './failed-attempt.ts';
import type { Gate, Pass } from './gate.ts';
import type { Hooked } from './hooks.ts';
import type { Requests } from './requests.ts';
import { type OutgoingLane, Settlement, type SettlementOptions } from './settlement.ts';
import type { SizeLimit } from './size-limit.ts';
import type { Outcome, Outliving } from './transport.ts';

/** An event that is refused each time in another way is refused. */
const MAX_REFUSALS = 4;
/** Refusals after which the wait before the next try does not grow. */
const SLOWEST = 3;
/** How soon a dead letter that could not be kept is tried again: the service is asked once more each time. */
const STORAGE_RETRY_MS = 60_000;
/** Batches that wait for a retry in memory; others wait in the journal. */
const MOST_PARKED = 8;
const NO_ANSWER: Rule = { action: 'retry' };
const NOW = Promise.resolve();

type Answer = Extract<Outcome, { kind: 'answered' }>;

/** What became of a piece. `refused`: settled, as a dead letter. */
type Fate = 'settled' | 'refused' | 'isolate' | 'split' | 'put back' | 'put aside' | 'stopped';

/** Events of the batch that are sent together. */
interface Piece {
  readonly batch: Batch;
  /** The other half of what was refused. */
  sibling?: Piece;
  /** Whether the event at fault is known to be in here: the other half was accepted. */
  isAtFault?: boolean;
  /** Resolves when it may be sent. */
  again?: Promise<void>;
}

/** What one try after the other is judged by. */
interface Tries {
  /** Whether the batch was sent before. */
  isRepeated: boolean;
  failures: number;
  /** Whether the next try is to be paid from the budget of retries. */
  owesBudget: boolean;
  /** Statuses by which a single event was refused. */
  readonly refusals: number[];
}

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
  readonly rejected?: Hooked['rejected'];
  readonly gate: Gate;
  readonly requests: Requests;
  readonly sizeLimit: SizeLimit;
  /** Ends it, wherever it is. */
  readonly signal: AbortSignal;
  /** What did not get to its end goes on another time. Left out where it is left as it is. */
  readonly onStopped?: ((batch: Batch, lane: OutgoingLane) => void) | undefined;
}

/** Sees one batch through to its end, in as many pieces as it takes: delivered, kept as dead letters, dropped or put back. */
export class Delivery {
  readonly #options: DeliveryOptions;
  /** The one that the batch is of. */
  readonly #lane: OutgoingLane;
  readonly #settlement: Settlement;
  /** What is left of the batch: what is to be sent next is last, what was cut off first is first. */
  #pieces: Piece[] = [];
  /** Single events that were held back once already, because the service is to blame. */
  readonly #held = new Set<Batch>();
  /** How often the service refused in a way that is not worth many requests. */
  #slowness = 0;
  #restsBefore = false;
  /** How the first request is made. */
  #first: FirstRequest | undefined;
  /** Ends it as soon as no request of it is under way. */
  readonly #stop: AbortSignal;

  constructor(options: DeliveryOptions, lane: OutgoingLane, stop: AbortSignal = options.signal) {
    this.#options = options;
    this.#stop = stop;
    this.#lane = lane;
    this.#settlement = new Settlement(options, lane);
  }

  /** @param first Left out where it may wait. Otherwise it is made before this returns. */
  async run(batch: Batch, first?: FirstRequest): Promise<void> {
    this.#first = first;
    const { isStrict, verdicts } = this.#options;
    const { underWay } = this.#lane;
    this.#add(...(verdicts.blameTheService && !isStrict && !first ? this.#sample(batch) : [batch]));
    let piece = this.#pieces.pop();
    while (piece !== undefined) {
      const fate = await this.#send(piece);
      if (fate === 'stopped') {
        // What is to be sent next goes back last, before all others.
        for (const { batch } of [...this.#pieces, piece]) this.#options.onStopped?.(batch, this.#lane);
        return;
      }
      if (fate === 'isolate' || fate === 'split') this.#cut(piece, fate);
      // What is behind it in this batch goes back too, so that others are tried before it.
      if (fate === 'put back')
        this.#pieces = this.#pieces.reverse().filter(({ batch }) => !underWay.putBack(batch));
      // After an event at fault, what is largest: when the service takes that, it is known to be the event's fault.
      piece = fate === 'refused' && !isStrict ? this.#pieces.shift() : this.#pieces.pop();
    }
  }

  #add(...batches: Batch[]): Piece[] {
    const pieces = batches.map((batch): Piece => ({ batch }));
    for (const batch of batches) this.#lane.underWay.add(batch);
    this.#pieces.push(...pieces);
    return pieces;
  }

  #cut({ batch }: Piece, fate: 'isolate' | 'split'): void {
    this.#lane.underWay.delete(batch);
    const [second, first] = this.#add(...splitBatch(batch).reverse());
    if (fate === 'split' || first === undefined || second === undefined) return;
    first.sibling = second;
    second.sibling = first;
  }

  /** One event of a batch first, any one, and behind it the others: what comes of it says enough of the service. */
  #sample(batch: Batch): Batch[] {
    this.#lane.underWay.delete(batch);
    const pieces: Batch[] = [];
    let piece = batch;
    while (piece.events.ends.length > 1) {
      const [first, second] = splitBatch(piece);
      const takesFirst = this.#options.random() < 0.5;
      pieces.push(takesFirst ? second : first);
      piece = takesFirst ? first : second;
    }
    return [...pieces, piece];
  }

  async #send(piece: Piece): Promise<Fate> {
    const { clock, sizeLimit } = this.#options;
    const { batcher } = this.#lane;
    const { batch, sibling } = piece;
    if (piece.again !== undefined) await piece.again;
    if (batch.events.ends.length > 1) {
      if (piece.isAtFault) return 'isolate';
      if (sizeLimit.isTooLarge(batch.body.length, clock.now())) return 'split';
    }
    const expiry = abortAfter(clock, batcher.expiresInMs(batch), this.#stop);
    try {
      const fate = await this.#sendUntil(batch, expiry.signal);
      if (fate === 'settled' && sibling !== undefined) sibling.isAtFault = true;
      return fate;
    } finally {
      expiry.cancel();
    }
  }

  /** @param waiting Aborts what is waited for between two requests. */
  async #sendUntil(batch: Batch, waiting: AbortSignal): Promise<Fate> {
    const { gate, requests } = this.#options;
    // One that was put aside failed before.
    const isRepeated = batch.range.isWhole === true;
    const tries: Tries = { isRepeated, failures: 0, owesBudget: isRepeated, refusals: [] };
    for (;;) {
      if (this.#restsBefore) await this.#rest(waiting);
      if (tries.failures > 0 && tries.owesBudget && this.#putAside(batch)) return 'put aside';
      const first = this.#first;
      this.#first = undefined;
      const pass = first?.pass ?? (await gate.admit(batch.events.ends.length, tries.owesBudget, waiting));
      if (pass === undefined && this.#stop.aborted) return 'stopped';
      if (pass === undefined) {
        await this.#settlement.expired(batch);
        return 'settled';
      }
      let verdict: Fate | { readonly again: Promise<void> };
      try {
        const outcome = await requests.post(batch, tries.isRepeated, first?.outlives);
        tries.isRepeated = true;
        verdict = await this.#judge(batch, pass, outcome, tries, waiting);
      } finally {
        gate.end();
      }
      if (typeof verdict === 'string') return verdict;
      await verdict.again;
    }
  }

  /** What an outcome means for a batch: its fate, or when to send it again. */
  async #judge(
    batch: Batch,
    pass: Pass,
    outcome: Outcome,
    tries: Tries,
    waiting: AbortSignal,
  ): Promise<Fate | { readonly again: Promise<void> }> {
    const { books, clock, gate, policy, reporter, requests, signal, sizeLimit } = this.#options;
    const now = clock.now();
    const rule = outcome.kind === 'failed' ? NO_ANSWER : ruleFor(outcome.status, policy);
    if (outcome.kind === 'answered' && rule.action === 'accept') {
      const fate = await this.#accepted(batch, pass, outcome);
      // A request that had no answer may not be over.
      if (tries.failures === 0) this.#letGo(batch);
      return fate;
    }
    if (signal.aborted) return 'stopped';
    reporter.failedAttempt(failedAttempt(outcome, rule.action, now));
    if (outcome.kind === 'failed' && outcome.isBlocked) {
      gate.hold(pass, 'blocked', 0);
      return { again: NOW };
    }
    if (outcome.kind === 'failed' || rule.action === 'retry') {
      // The next try goes as it is where that may help: some servers fail at what they cannot parse.
      requests.isEncodingAtFault(batch, 'status' in outcome ? outcome.status : undefined);
      const isAmbiguous = outcome.kind === 'failed' ? outcome.maybeSent : rule.isAmbiguous;
      if (isAmbiguous) books.maybeDuplicate += batch.events.ends.length;
      const header = outcome.kind === 'answered' ? outcome.retryAfter : undefined;
      const retryAfterMs = parseRetryAfter(header, now);
      const { failures } = tries;
      const again = gate.failed(pass, { ...rule, failures, retryAfterMs }, waiting);
      tries.failures += 1;
      // A service that pushes back did no work for it, and says itself how much it bears.
      tries.owesBudget = !rule.isPushback;
      return { again };
    }
    if (requests.isEncodingAtFault(batch, outcome.status)) {
      gate.answered(pass);
      return { again: NOW };
    }
    if (rule.action === 'pause') {
      gate.hold(pass, rule.reason ?? 'policy', outcome.status, rule.isSlow);
      return { again: NOW };
    }
    if (rule.action === 'drop') {
      gate.answered(pass);
      await this.#settlement.dropped(batch);
      return 'settled';
    }
    const { length } = batch.body;
    // One event, and larger bodies were accepted of late: it may be another one who answers.
    const isOdd =
      batch.events.ends.length === 1 && tries.refusals.length === 0 && sizeLimit.tookAsLarge(length);
    if (rule.action !== 'split') return this.#refused(batch, pass, outcome, rule, tries);
    if (isOdd) return this.#refused(batch, pass, outcome, { ...rule, action: 'isolate' }, tries);
    sizeLimit.refused(length, now);
    return this.#refused(batch, pass, outcome, rule, tries);
  }

  /** The service finds fault with an event, or with the size. */
  async #refused(
    batch: Batch,
    pass: Pass,
    answer: Answer,
    { action, isSlow }: Rule,
    tries: Tries,
  ): Promise<Fate | { readonly again: Promise<void> }> {
    const { gate, verdicts } = this.#options;
    const isSingle = batch.events.ends.length === 1;
    const isBlamed = verdicts.blameTheService;
    if (isSlow) {
      this.#restsBefore = true;
      this.#slowness += 1;
    }
    // The service answered and works: what it says of these events says nothing of others.
    if (!isBlamed || !isSingle) gate.answered(pass);
    if (!isSingle) return action === 'split' ? 'split' : 'isolate';
    const { refusals } = tries;
    const isRepeated = refusals.includes(answer.status) || refusals.length + 1 >= MAX_REFUSALS;
    refusals.push(answer.status);
    if (action === 'isolate' && !isRepeated && !isBlamed) return { again: NOW };
    return this.#endSingle(batch, pass, answer);
  }

  /** Ends an event that is refused for good, unless it is the service that is to blame. */
  async #endSingle(
    batch: Batch,
    pass: Pass,
    answer: Answer,
  ): Promise<Fate | { readonly again: Promise<void> }> {
    const { gate, isStrict, verdicts } = this.#options;
    const isBlamed = verdicts.blameTheService;
    // One that cannot be put back is not to stand in the way of all others for ever.
    const { status, body } = answer;
    const isEnding = !isBlamed || this.#held.has(batch);
    if (isEnding && (await this.#settlement.deadLettered(batch, status, excerptOf(body)))) {
      if (isBlamed) gate.hold(pass, 'refused', status);
      return 'refused';
    }
    // It is for the storage to blame that it cannot be ended: others go on.
    if (!isBlamed) return { again: gate.park(STORAGE_RETRY_MS, this.#stop) };
    gate.hold(pass, 'refused', status);
    if (!isStrict && this.#lane.underWay.putBack(batch)) return 'put back';
    this.#held.add(batch);
    return { again: NOW };
  }

  async #accepted(batch: Batch, pass: Pass, answer: Answer): Promise<Fate> {
    const { clock, gate, rejected, requests, sizeLimit } = this.#options;
    const { underWay } = this.#lane;
    const count = batch.events.ends.length;
    gate.accepted(pass);
    requests.accepted(batch);
    sizeLimit.accepted(batch.body.length, clock.now());
    underWay.delete(batch);
    let from = 0;
    for (const [index, reason] of rejected?.(batch, answer) ?? []) {
      if (index > from) await this.#settlement.delivered(cutBatch(batch, from, index));
      const event = cutBatch(batch, index, index + 1);
      if (this.#held.has(batch)) this.#held.add(event);
      await this.#rejected(event, pass, { ...answer, body: requests.redact(reason) });
      from = index + 1;
    }
    if (from < count) await this.#settlement.delivered(from === 0 ? batch : cutBatch(batch, from, count));
    return 'settled';
  }

  /** What the batch lies in may be used again, unless somebody may still read it. */
  #letGo(batch: Batch): void {
    const { requests } = this.#options;
    if (batch.memory === undefined || !requests.releasesBodies || this.#lane.underWay.isRead(batch)) return;
    this.#lane.backlog.bodies.give(batch.memory);
  }

  /** An accepted batch's answer names an event as rejected. */
  async #rejected(event: Batch, pass: Pass, answer: Answer): Promise<void> {
    const { underWay } = this.#lane;
    underWay.add(event);
    const fate = await this.#endSingle(event, pass, answer);
    if (fate === 'refused') return;
    underWay.delete(event);
    if (typeof fate === 'string') return;
    for (const piece of this.#add(event)) piece.again = fate.again;
  }

  /** Leaves a batch to the journal where many wait for a retry already, so that others can go. */
  #putAside(batch: Batch): boolean {
    const { gate, isStrict, signal } = this.#options;
    const isCrowded = gate.parked >= MOST_PARKED && gate.retryWaitMs > 0;
    return isCrowded && !isStrict && !signal.aborted && this.#lane.underWay.putAside(batch);
  }

  /** After a refusal that is not worth many requests. */
  async #rest(waiting: AbortSignal): Promise<void> {
    this.#restsBefore = false;
    const { backoff, clock, random } = this.#options;
    await sleep(clock, backoffDelayMs(Math.min(this.#slowness, SLOWEST), backoff, random), waiting);
  }
}
