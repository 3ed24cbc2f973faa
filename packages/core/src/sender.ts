import {
  type Backoff,
  backoffDelayMs,
  DeliveryError,
  parseRetryAfter,
  type Redact,
  redactor,
  requestHeaders,
} from '@sluice/protocol';
import PQueue from 'p-queue';
import { type Backlog, MEMORY_SEGMENT } from './backlog.ts';
import { type Batch, splitBatch } from './batch.ts';
import type { Batcher } from './batcher.ts';
import type { Books } from './books.ts';
import type { Breaker } from './breaker.ts';
import { abortAfter, type Clock, sleep, type Timer } from './clock.ts';
import type { DeadLetters } from './dead-letters.ts';
import { type Action, ruleFor } from './delivery-policy.ts';
import type { EventBytes, Journal, Range } from './journal.ts';
import { reasonOf } from './reason.ts';
import { redactedOutcome } from './redaction.ts';
import type { Outcome, Timeouts, Transport } from './transport.ts';
import { Verdicts } from './verdicts.ts';

/** Failures in a row after which all requests wait for one to succeed. */
const FAILURES_TO_OPEN = 5;
/** While nothing is wrong with the events: how long until the service is asked again. */
const PAUSE: Backoff = { baseMs: 60_000, maxMs: 15 * 60_000 };
/** A service that asks for more is asked again after this all the same. */
const MAX_RETRY_AFTER_MS = 60 * 60_000;
/** Spread over clients that were all told the same. */
const RETRY_AFTER_JITTER = 0.2;
/** An event that is refused each time in another way is refused. */
const MAX_REFUSALS = 4;
const STORAGE_RETRY_MS = 1_000;

type Answer = Extract<Outcome, { kind: 'answered' }>;

/** What became of a batch that was sent. */
type Fate = 'settled' | 'to be split' | 'put back' | 'stopped';

export interface SenderOptions {
  readonly url: string;
  readonly apiKey: string | undefined;
  readonly concurrency: number;
  readonly timeouts: Timeouts;
  readonly backoff: Backoff;
  readonly random: () => number;
  readonly clock: Clock;
  readonly backlog: Backlog;
  readonly batcher: Batcher;
  readonly journal: Journal;
  readonly deadLetters: DeadLetters;
  readonly transport: Transport;
  readonly breaker: Breaker;
  readonly books: Books;
  /** Writes events to the journal that it did not take before. Undefined where it still does not. */
  readonly secure: (events: EventBytes) => Promise<Range | undefined>;
  readonly onDelivered: (count: number) => void;
  readonly onDeadLettered: (status: number, excerpt: string) => void;
  readonly onFailedAttempt: (error: DeliveryError) => void;
  readonly onStorageFailed: (error: unknown) => void;
}

/** Takes batches and sees each through to its end: delivered, in parts if need be, or its bad events kept as dead letters. */
export class Sender {
  readonly #options: SenderOptions;
  readonly #redact: Redact;
  readonly #queue: PQueue;
  readonly #abort = new AbortController();
  #pumping: Promise<void> | undefined;
  #wokenWhilePumping = false;
  #storageTimer: Timer | undefined;
  #failuresInARow = 0;
  #pauses = 0;
  readonly #verdicts = new Verdicts();
  /** What is under way and in memory alone. */
  readonly #unsecured = new Set<Batch>();

  constructor(options: SenderOptions) {
    this.#options = options;
    this.#redact = options.apiKey === undefined ? (text) => text : redactor(options.apiKey);
    this.#queue = new PQueue({ concurrency: options.concurrency });
  }

  /** Something may be ready to be sent. */
  wake(): void {
    void this.#pump();
  }

  /** Ends what is under way, without waiting for answers: what was not accepted stays in the journal. */
  async stop(): Promise<void> {
    this.#storageTimer?.cancel();
    this.#abort.abort();
    await this.#pumping;
    await this.#queue.onIdle();
  }

  /** Gives to the journal what it did not take when that was taken on. */
  async secure(): Promise<void> {
    const { backlog, journal, secure } = this.#options;
    for (const batch of this.#unsecured) {
      const range = await secure(batch.events);
      if (range === undefined) return;
      // Meanwhile its end may have come.
      if (this.#unsecured.delete(batch)) batch.range = backlog.secure(batch.range, range);
      else await journal.acknowledge(range).catch(() => undefined);
    }
  }

  /** As `secure`, now, on this thread. */
  secureSync(): void {
    const { backlog, journal } = this.#options;
    for (const batch of this.#unsecured) {
      const range = journal.appendSync?.(batch.events);
      if (range === undefined) return;
      this.#unsecured.delete(batch);
      batch.range = backlog.secure(batch.range, range);
    }
  }

  #pump(): Promise<void> {
    this.#wokenWhilePumping = true;
    this.#pumping ??= this.#pumpOnce();
    return this.#pumping;
  }

  async #pumpOnce(): Promise<void> {
    while (this.#wokenWhilePumping) {
      this.#wokenWhilePumping = false;
      await this.#dropExpired();
      while (this.#hasRoom()) {
        const batch = await this.#nextBatch();
        if (batch === undefined) break;
        void this.#queue.add(() => this.#deliver(batch)).then(() => this.wake());
      }
    }
    this.#pumping = undefined;
  }

  /** While the breaker is open, what is taken already is enough to find out when to go on. */
  #hasRoom(): boolean {
    const { concurrency, breaker } = this.#options;
    const busy = this.#queue.pending + this.#queue.size;
    return !this.#abort.signal.aborted && busy < (breaker.state === 'closed' ? concurrency : 1);
  }

  async #nextBatch(): Promise<Batch | undefined> {
    const { batcher } = this.#options;
    try {
      return await batcher.next();
    } catch (error) {
      if (this.#abort.signal.aborted) return undefined;
      this.#holdStored(error);
      return batcher.next();
    }
  }

  async #dropExpired(): Promise<void> {
    try {
      if (!this.#abort.signal.aborted) await this.#options.batcher.dropExpired();
    } catch (error) {
      this.#holdStored(error);
    }
  }

  /** Stored events cannot be read now. */
  #holdStored(error: unknown): void {
    const { batcher, clock, onStorageFailed } = this.#options;
    onStorageFailed(error);
    const release = batcher.holdStored();
    this.#storageTimer ??= clock.setTimeout(() => {
      this.#storageTimer = undefined;
      release();
      this.wake();
    }, STORAGE_RETRY_MS);
  }

  /** Sees a batch through, in as many pieces as it takes. */
  async #deliver(batch: Batch): Promise<void> {
    const { backlog } = this.#options;
    const pieces: Batch[] = [];
    const add = (...more: Batch[]) => {
      pieces.push(...more);
      for (const piece of more) if (piece.range.segment === MEMORY_SEGMENT) this.#unsecured.add(piece);
    };
    add(...(this.#verdicts.blameTheService ? this.#sample(batch) : [batch]));
    for (let piece = pieces.pop(); piece !== undefined; piece = pieces.pop()) {
      const fate = await this.#send(piece);
      if (fate === 'stopped') return;
      this.#unsecured.delete(piece);
      if (fate === 'to be split') add(...splitBatch(piece).reverse());
      // What is behind it in this batch goes back too, so that others are tried before it.
      if (fate === 'put back') for (const left of pieces.splice(0).reverse()) backlog.putBack(left.range);
    }
  }

  /** One event of a batch first, any one, and behind it the others: what comes of it says enough of the service. */
  #sample(batch: Batch): Batch[] {
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

  async #send(batch: Batch): Promise<Fate> {
    const { batcher, clock } = this.#options;
    const expiry = abortAfter(clock, batcher.expiresInMs(batch), this.#abort.signal);
    try {
      return await this.#sendUntil(batch, expiry.signal);
    } finally {
      expiry.cancel();
    }
  }

  /** @param waiting Aborts what is waited for between two requests. */
  async #sendUntil(batch: Batch, waiting: AbortSignal): Promise<Fate> {
    const { breaker, books } = this.#options;
    const { signal } = this.#abort;
    const count = batch.events.ends.length;
    const refusals: number[] = [];
    for (let failures = 0; ; ) {
      if (!(await breaker.admit(waiting))) return signal.aborted ? 'stopped' : this.#expired(batch);
      const { era } = breaker;
      const outcome = await this.#post(batch);
      const action: Action = outcome.kind === 'failed' ? 'retry' : ruleFor(outcome.status).action;
      if (action === 'accept') return this.#accepted(batch, era);
      if (signal.aborted) return 'stopped';
      this.#report(outcome, action);
      if (outcome.kind === 'failed' || action === 'retry') {
        if (outcome.kind === 'failed' && outcome.maybeSent) books.maybeDuplicate += count;
        await this.#backOff(outcome, failures, era, waiting);
        failures += 1;
      } else if (action === 'pause') {
        this.#pause(era);
      } else {
        const isBlamed = action === 'isolate' && this.#verdicts.blameTheService;
        // The service answered and works: what it says of these events says nothing of others.
        if (!isBlamed || count > 1) this.#answered(era);
        if (count > 1) return 'to be split';
        const isRepeated = refusals.includes(outcome.status) || refusals.length + 1 >= MAX_REFUSALS;
        refusals.push(outcome.status);
        if (action === 'isolate' && !isRepeated && !isBlamed) continue;
        if (!isBlamed && (await this.#keepDeadLetter(batch, action, outcome))) return 'settled';
        this.#pause(era);
        if (this.#options.backlog.putBack(batch.range)) return 'put back';
      }
    }
  }

  async #post({ body }: Batch): Promise<Outcome> {
    const { transport, url, apiKey, timeouts } = this.#options;
    const { signal } = this.#abort;
    try {
      const request = { url, headers: requestHeaders(apiKey), body, timeouts, signal };
      return redactedOutcome(await transport.post(request), this.#redact);
    } catch (cause) {
      // A transport of the user's own may break its word.
      return redactedOutcome({ kind: 'failed', cause, maybeSent: true }, this.#redact);
    }
  }

  /** Tried for so long that nobody wants it any more. */
  async #expired(batch: Batch): Promise<Fate> {
    const { batcher, onStorageFailed } = this.#options;
    this.#unsecured.delete(batch);
    await batcher.expire(batch.range).catch(onStorageFailed);
    return 'settled';
  }

  async #accepted(batch: Batch, era: number): Promise<Fate> {
    const { backlog, books, onDelivered } = this.#options;
    const count = batch.events.ends.length;
    this.#unsecured.delete(batch);
    this.#answered(era);
    this.#pauses = 0;
    this.#verdicts.accepted(count);
    await this.#release(batch);
    books.delivered += count;
    backlog.settle(batch.range);
    onDelivered(count);
    return 'settled';
  }

  /** Keeps the one event of a batch, which is refused for good. False where it could not be kept. */
  async #keepDeadLetter(batch: Batch, action: Action, { status, body }: Answer): Promise<boolean> {
    const { backlog, books, deadLetters, onDeadLettered, onStorageFailed } = this.#options;
    // Counted before it is kept: others are judged meanwhile.
    if (action === 'isolate') this.#verdicts.refused();
    try {
      await deadLetters.keep(batch, { status, excerpt: body });
    } catch (error) {
      if (action === 'isolate') this.#verdicts.withdraw();
      onStorageFailed(error);
      return false;
    }
    this.#unsecured.delete(batch);
    await this.#release(batch);
    books.deadLettered += 1;
    backlog.settle(batch.range);
    onDeadLettered(status, body);
    return true;
  }

  async #release({ range }: Batch): Promise<void> {
    const { journal, onStorageFailed } = this.#options;
    try {
      if (range.segment !== MEMORY_SEGMENT) await journal.acknowledge(range);
    } catch (error) {
      // The service has the events; another life may send them again.
      onStorageFailed(error);
    }
  }

  #answered(era: number): void {
    const { breaker } = this.#options;
    // An answer to what was sent before the breaker opened does not cut its time short.
    if (era !== breaker.era) return;
    this.#failuresInARow = 0;
    breaker.close();
  }

  async #backOff(outcome: Outcome, failures: number, era: number, waiting: AbortSignal): Promise<void> {
    const { breaker, backoff, clock, random } = this.#options;
    if (era === breaker.era) this.#failuresInARow += 1;
    const header = outcome.kind === 'answered' ? outcome.retryAfter : undefined;
    const retryAfterMs = parseRetryAfter(header, clock.now());
    if (retryAfterMs !== undefined) {
      const jitter = 1 + RETRY_AFTER_JITTER * random();
      breaker.open(Math.min(retryAfterMs, MAX_RETRY_AFTER_MS) * jitter);
    } else if (this.#failuresInARow >= FAILURES_TO_OPEN || breaker.state !== 'closed') {
      breaker.open(backoffDelayMs(this.#failuresInARow, backoff, random));
    } else {
      await sleep(clock, backoffDelayMs(failures, backoff, random), waiting);
    }
  }

  #pause(era: number): void {
    const { breaker } = this.#options;
    // Several requests that were under way at once are told the same: that is one pause.
    if (era !== breaker.era) return;
    breaker.open(Math.min(PAUSE.maxMs, PAUSE.baseMs * 2 ** this.#pauses));
    this.#pauses += 1;
  }

  #report(outcome: Outcome, action: Action): void {
    const { clock, onFailedAttempt } = this.#options;
    const retryable = action === 'retry' || action === 'pause';
    if (outcome.kind === 'failed') {
      const message = `the service could not be reached: ${reasonOf(outcome.cause)}`;
      onFailedAttempt(new DeliveryError(message, { retryable, cause: outcome.cause }));
      return;
    }
    const { status, body, retryAfter } = outcome;
    const message = `the service answered ${status}; the sender's action is to ${action}`;
    const retryAfterMs = parseRetryAfter(retryAfter, clock.now());
    onFailedAttempt(new DeliveryError(message, { status, retryable, retryAfterMs, excerpt: body }));
  }
}
