import {
  type Backoff,
  backoffDelayMs,
  DeliveryError,
  parseRetryAfter,
  requestHeaders,
} from '@sluice/protocol';
import PQueue from 'p-queue';
import { type Backlog, MEMORY_SEGMENT } from './backlog.ts';
import { type Batch, splitBatch } from './batch.ts';
import type { Batcher } from './batcher.ts';
import type { Books } from './books.ts';
import type { Breaker } from './breaker.ts';
import { type Clock, sleep } from './clock.ts';
import type { DeadLetters } from './dead-letters.ts';
import { type Action, actionFor } from './delivery-policy.ts';
import type { Journal } from './journal.ts';
import type { Outcome, Transport } from './transport.ts';

/** Failures in a row after which all requests wait for one to succeed. */
const FAILURES_TO_OPEN = 5;
/** While nothing is wrong with the events: how long until the service is asked again. */
const PAUSE: Backoff = { baseMs: 60_000, maxMs: 15 * 60_000 };
/** A service that asks for more is asked again after this all the same. */
const MAX_RETRY_AFTER_MS = 60 * 60_000;
/** Spread over clients that were all told the same. */
const RETRY_AFTER_JITTER = 0.2;
/** So many single events refused with none accepted between them: it is the service or us, not the events. */
const REFUSALS_TO_PAUSE = 10;
const STORAGE_RETRY_MS = 1_000;

export interface SenderOptions {
  readonly url: string;
  readonly apiKey: string | undefined;
  readonly concurrency: number;
  readonly timeoutMs: number;
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
  readonly onDelivered: (count: number) => void;
  readonly onDeadLettered: (status: number, excerpt: string) => void;
  readonly onFailedAttempt: (error: DeliveryError) => void;
  readonly onStorageFailed: (error: unknown) => void;
}

/** Takes batches and sees each through to its end: delivered, in parts if need be, or its bad events kept as dead letters. */
export class Sender {
  readonly #options: SenderOptions;
  readonly #queue: PQueue;
  readonly #abort = new AbortController();
  #pumping = false;
  #wokenWhilePumping = false;
  #failuresInARow = 0;
  #pauses = 0;
  #refusalsInARow = 0;

  constructor(options: SenderOptions) {
    this.#options = options;
    this.#queue = new PQueue({ concurrency: options.concurrency });
  }

  /** Something may be ready to be sent. */
  wake(): void {
    void this.#pump();
  }

  /** Ends what is under way, without waiting for answers: what was not accepted stays in the journal. */
  async stop(): Promise<void> {
    this.#abort.abort();
    await this.#queue.onIdle();
  }

  async #pump(): Promise<void> {
    this.#wokenWhilePumping = true;
    if (this.#pumping) return;
    this.#pumping = true;
    while (this.#wokenWhilePumping) {
      this.#wokenWhilePumping = false;
      while (this.#hasRoom()) {
        const batch = await this.#nextBatch();
        if (batch === undefined) break;
        void this.#queue.add(() => this.#deliver(batch)).then(() => this.wake());
      }
    }
    this.#pumping = false;
  }

  /** While the breaker is open, what is taken already is enough to find out when to go on. */
  #hasRoom(): boolean {
    const { concurrency, breaker } = this.#options;
    const busy = this.#queue.pending + this.#queue.size;
    return !this.#abort.signal.aborted && busy < (breaker.state === 'closed' ? concurrency : 1);
  }

  async #nextBatch(): Promise<Batch | undefined> {
    const { batcher, clock, onStorageFailed } = this.#options;
    try {
      return await batcher.next();
    } catch (error) {
      onStorageFailed(error);
      clock.setTimeout(() => this.wake(), STORAGE_RETRY_MS);
      return undefined;
    }
  }

  async #deliver(batch: Batch): Promise<void> {
    const { signal } = this.#abort;
    const isSingle = batch.events.ends.length === 1;
    let failures = 0;
    let refusedWith: number | undefined;
    for (;;) {
      await this.#options.breaker.admit(signal);
      if (signal.aborted) return;
      const outcome = await this.#post(batch);
      if (signal.aborted && outcome.kind === 'failed') return;
      const action: Action = outcome.kind === 'failed' ? 'retry' : actionFor(outcome.status);
      if (action === 'accept') return this.#accepted(batch);
      this.#report(outcome, action);
      if (outcome.kind === 'failed' || action === 'retry') {
        if (outcome.kind === 'failed' && outcome.maybeSent) {
          this.#options.books.maybeDuplicate += batch.events.ends.length;
        }
        await this.#backOff(outcome, failures);
        failures += 1;
      } else if (action === 'pause') {
        this.#pause();
      } else {
        // The service answered and works: whatever it says of these events says nothing of others.
        this.#answered();
        if (!isSingle) {
          for (const half of splitBatch(batch)) await this.#deliver(half);
          return;
        }
        if (action === 'split' || refusedWith === outcome.status) {
          if (await this.#refused(batch, outcome)) return;
        }
        refusedWith = outcome.status;
      }
    }
  }

  async #post({ body }: Batch): Promise<Outcome> {
    const { transport, url, apiKey, timeoutMs } = this.#options;
    const headers = requestHeaders(apiKey);
    const outcome = await transport
      .post({ url, headers, body, timeoutMs, signal: this.#abort.signal })
      // A transport of the user's own may break its word.
      .catch((cause: unknown): Outcome => ({ kind: 'failed', cause, maybeSent: true }));
    if (outcome.kind === 'failed' || apiKey === undefined) return outcome;
    // A service may quote the request in its answer; the key goes no further.
    return { ...outcome, body: outcome.body.replaceAll(apiKey, '[api key]') };
  }

  async #accepted(batch: Batch): Promise<void> {
    const { books, onDelivered } = this.#options;
    this.#answered();
    this.#refusalsInARow = 0;
    const count = batch.events.ends.length;
    await this.#release(batch);
    books.delivered += count;
    onDelivered(count);
  }

  /** The event of a batch is refused for good. False where it could not be kept, or where it is not the event's fault. */
  async #refused(batch: Batch, { status, body }: Outcome & { kind: 'answered' }): Promise<boolean> {
    const { books, deadLetters, onDeadLettered, onStorageFailed } = this.#options;
    this.#refusalsInARow += 1;
    if (this.#refusalsInARow > REFUSALS_TO_PAUSE) {
      this.#pause();
      return false;
    }
    try {
      await deadLetters.keep(batch, { status, excerpt: body });
    } catch (error) {
      onStorageFailed(error);
      this.#pause();
      return false;
    }
    await this.#release(batch);
    books.deadLettered += 1;
    onDeadLettered(status, body);
    return true;
  }

  async #release({ range }: Batch): Promise<void> {
    const { backlog, journal, onStorageFailed } = this.#options;
    try {
      if (range.segment !== MEMORY_SEGMENT) await journal.acknowledge(range);
    } catch (error) {
      // The events are delivered; another life may deliver them again.
      onStorageFailed(error);
    }
    backlog.settle(range);
  }

  #answered(): void {
    this.#failuresInARow = 0;
    this.#pauses = 0;
    this.#options.breaker.close();
  }

  async #backOff(outcome: Outcome, failures: number): Promise<void> {
    const { breaker, backoff, clock, random } = this.#options;
    this.#failuresInARow += 1;
    const header = outcome.kind === 'answered' ? outcome.retryAfter : undefined;
    const retryAfterMs = parseRetryAfter(header, clock.now());
    if (retryAfterMs !== undefined) {
      const jitter = 1 + RETRY_AFTER_JITTER * random();
      breaker.open(Math.min(retryAfterMs, MAX_RETRY_AFTER_MS) * jitter);
    } else if (this.#failuresInARow >= FAILURES_TO_OPEN || breaker.state !== 'closed') {
      breaker.open(backoffDelayMs(this.#failuresInARow, backoff, random));
    } else {
      await sleep(clock, backoffDelayMs(failures, backoff, random), this.#abort.signal);
    }
  }

  #pause(): void {
    const { breaker } = this.#options;
    breaker.open(Math.min(PAUSE.maxMs, PAUSE.baseMs * 2 ** this.#pauses));
    this.#pauses += 1;
  }

  #report(outcome: Outcome, action: Action): void {
    const { clock, onFailedAttempt } = this.#options;
    const retryable = action === 'retry' || action === 'pause';
    if (outcome.kind === 'failed') {
      const reason = outcome.cause instanceof Error ? outcome.cause.message : String(outcome.cause);
      const message = `the service could not be reached: ${reason}`;
      onFailedAttempt(new DeliveryError(message, { retryable, cause: outcome.cause }));
      return;
    }
    const { status, body, retryAfter } = outcome;
    const message = `the service answered ${status}; the sender's action is to ${action}`;
    const retryAfterMs = parseRetryAfter(retryAfter, clock.now());
    onFailedAttempt(
      new DeliveryError(message, { status, retryable, retryAfterMs, excerpt: body.slice(0, 1024) }),
    );
  }
}
