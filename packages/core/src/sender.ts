import PQueue from 'p-queue';
import type { Batch } from './batch.ts';
import type { Breaker } from './breaker.ts';
import type { Timer } from './clock.ts';
import { Delivery, type DeliveryOptions } from './delivery.ts';

/** Enough to find out whether the service works. */
const PROBE_EVENTS = 10;
const STORAGE_RETRY_MS = 1_000;

export interface SenderOptions extends Omit<DeliveryOptions, 'signal'> {
  readonly concurrency: number;
  readonly breaker: Breaker;
  /** Ends what is under way. */
  readonly abort: AbortController;
}

/** Takes batches as long as there are any, and sees to it that so many are on their way at once. */
export class Sender {
  readonly #options: SenderOptions;
  readonly #queue: PQueue;
  #pumping: Promise<void> | undefined;
  #wokenWhilePumping = false;
  #storageTimer: Timer | undefined;
  /** Batches on their way that are small enough to be sent to a service of which nobody knows whether it works. */
  #probes = 0;

  constructor(options: SenderOptions) {
    this.#options = options;
    // One more than requests are made: a probe, while all others wait.
    this.#queue = new PQueue({ concurrency: options.concurrency + 1 });
  }

  /** Something may be ready to be sent. */
  wake(): void {
    void this.#pump();
  }

  /** Ends what is under way, without waiting for answers: what was not accepted stays in the journal. */
  async stop(): Promise<void> {
    this.#storageTimer?.cancel();
    this.#options.abort.abort();
    await this.#pumping;
    await this.#queue.onIdle();
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
        this.#start(batch);
      }
    }
    this.#pumping = undefined;
  }

  #start(batch: Batch): void {
    const { abort } = this.#options;
    const isProbe = batch.events.ends.length <= PROBE_EVENTS;
    if (isProbe) this.#probes += 1;
    const delivery = new Delivery({ ...this.#options, signal: abort.signal });
    void this.#queue
      .add(() => delivery.run(batch))
      .then(() => {
        if (isProbe) this.#probes -= 1;
        this.wake();
      });
  }

  /** While the service does not work, one batch more is taken, and only where none that is taken is a small one. */
  #hasRoom(): boolean {
    const { abort, breaker, concurrency, isStrict } = this.#options;
    const busy = this.#queue.pending + this.#queue.size;
    if (abort.signal.aborted) return false;
    return breaker.state === 'closed' || isStrict ? busy < concurrency : this.#probes === 0;
  }

  async #nextBatch(): Promise<Batch | undefined> {
    const { abort, breaker, batcher } = this.#options;
    const most = breaker.state === 'closed' ? undefined : PROBE_EVENTS;
    try {
      return await batcher.next(most);
    } catch (error) {
      if (abort.signal.aborted) return undefined;
      this.#holdStored(error);
      return batcher.next(most);
    }
  }

  async #dropExpired(): Promise<void> {
    const { abort, batcher } = this.#options;
    try {
      if (!abort.signal.aborted) await batcher.dropExpired();
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
}
