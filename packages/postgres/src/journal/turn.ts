import { type Journal, StorageError } from '@sluice/core';

type Sharing = NonNullable<Journal['sharing']>;

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
  /** Ends the work in progress. */
  #end: ((error: Error) => void) | undefined;
  /** Whether slots were lost just now: the work has not ended yet. */
  #isEnding = false;

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
    while (!check() || this.#isEnding) await nextTask();
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
    this.#end?.(new StorageError('slots were lost: another forwarder may send what is in them'));
    // Once the work has ended: telling makes the tracker send.
    setImmediate(() => {
      this.#isEnding = false;
      this.#options.tell();
    });
  }

  async refresh(): Promise<void> {
    this.#options.tell();
  }

  async setPause(): Promise<void> {}

  tell(): void {}

  listen(): void {}
}

function nextTask(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Rejects once the signal aborts. */
function aborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    const end = () => reject(signal?.reason);
    if (signal?.aborted) end();
    signal?.addEventListener('abort', end, { once: true });
  });
}
