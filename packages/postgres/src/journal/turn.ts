import { type Journal, type Range, StorageError } from '@sluice/core';
import { type Moment, moment, msSince } from '../slots/moment.ts';

type Sharing = NonNullable<Journal['sharing']>;
type Listener = Parameters<Sharing['listen']>[0];

/** How soon to look whether the work may start, in milliseconds. */
const LOOK_MS = 20;
/** How long to wait, after slots were lost, for the answers to requests of before, in milliseconds. */
const ANSWER_MS = 5_000;

interface TurnOptions {
  /** Whether this journal sends at all. */
  readonly mayWork: boolean;
  /** Whether the slots are this journal's now. */
  readonly check: () => boolean;
  /** Resolves once it is known what is in slots that were lost. */
  readonly ready: () => Promise<void>;
  /** Tells the tracker of events that other forwarders have. */
  readonly tell: () => void;
}

/**
 * When the tracker may send: while all slots that it knows are this journal's. Each forwarder has slots of its own, so none waits for
 * another one.
 */
export class Turn implements Sharing {
  readonly pause = undefined;
  readonly #options: TurnOptions;
  #listener: Listener | undefined;
  /** Ends the work in progress. */
  #end: ((error: Error) => void) | undefined;
  /** Whether slots were lost just now: the work has not ended yet. */
  #isEnding = false;
  /** The requests in progress. */
  #requests = new Set<string>();
  /** Those of them that were in progress when slots were lost. */
  #left: Set<string> = new Set();
  #lostAt: Moment = moment();

  constructor(options: TurnOptions) {
    this.#options = options;
  }

  /** The tracker asks before it starts anything: nothing is sent of a slot that was lost while the process was stopped. */
  get isLeft(): boolean {
    return this.#isEnding || !this.#options.check();
  }

  async hold<Result>(work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    const { check, mayWork, ready } = this.#options;
    if (!mayWork) await aborted(signal);
    await ready();
    while (!signal?.aborted && (!check() || this.#isEnding)) await nextLook();
    await this.answered(signal);
    signal?.throwIfAborted();
    const lost = new Promise<never>((_, reject) => {
      this.#end = reject;
    });
    try {
      return await Promise.race([work(), lost]);
    } finally {
      this.#end = undefined;
    }
  }

  /** Slots were lost. What the tracker knows of them is another forwarder's. */
  lose(): void {
    this.#isEnding = true;
    this.#lostAt = moment();
    this.#left = this.#requests;
    this.#requests = new Set();
    this.#end?.(new StorageError('slots were lost: another forwarder may send what is in them'));
    // Once the work has ended: telling makes the tracker send.
    setImmediate(() => {
      this.#isEnding = false;
      this.#options.tell();
      // The tracker may have asked in vain meanwhile.
      this.#listener?.('', 'rests');
    });
  }

  /** The tracker tells when a request starts, and with 0 when it ends. */
  lease(ranges: readonly Range[], forMs: number): void {
    const [first] = ranges;
    if (!first) return;
    const key = `${first.segment} ${first.from}`;
    if (forMs > 0) this.#requests.add(key);
    else for (const requests of [this.#requests, this.#left]) requests.delete(key);
  }

  /** Resolves once the answers have come to requests of before slots were lost. What fails goes back then: others have it. */
  async answered(signal?: AbortSignal): Promise<void> {
    while (!signal?.aborted && this.#left.size > 0 && msSince(this.#lostAt) < ANSWER_MS) await nextLook();
  }

  async refresh(): Promise<void> {
    this.#options.tell();
  }

  async setPause(): Promise<void> {}

  tell(): void {}

  listen(listener: Listener): void {
    this.#listener = listener;
  }
}

function nextLook(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, LOOK_MS).unref());
}

/** Rejects once the signal aborts. */
function aborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    const end = () => reject(signal?.reason);
    if (signal?.aborted) end();
    signal?.addEventListener('abort', end, { once: true });
  });
}
