/** A burst of failures may be tried again at once. */
const INITIAL_RETRIES = 10;
const MOST_RETRIES = 100;
/** One retry in this time is always allowed. */
const RETRY_EVERY_MS = 10_000;
/** Successes may allow a retry sooner than time does. */
const LOOK_AGAIN_MS = 1_000;

/**
 * Keeps retries to a part of the successes, plus one in ten seconds: a service that fails under load is not to be given
 * more of it.
 */
export class RetryBudget {
  readonly #perSuccess: number;
  #retries = INITIAL_RETRIES;
  #countedAt: number;

  /** @param perSuccess Retries that a success allows. */
  constructor(perSuccess: number, now: number) {
    this.#perSuccess = perSuccess;
    this.#countedAt = now;
  }

  succeeded(): void {
    this.#add(this.#perSuccess);
  }

  /** How long to wait before asking again whether a retry may be made, in milliseconds; 0 where it may. */
  waitMs(now: number): number {
    const elapsed = now - this.#countedAt;
    this.#countedAt = now;
    this.#add(Math.max(0, elapsed) / RETRY_EVERY_MS);
    if (this.#retries >= 1) return 0;
    return Math.min(LOOK_AGAIN_MS, Math.ceil((1 - this.#retries) * RETRY_EVERY_MS));
  }

  /** A retry is made. */
  take(): void {
    this.#retries = Math.max(0, this.#retries - 1);
  }

  #add(retries: number): void {
    this.#retries = Math.min(MOST_RETRIES, this.#retries + retries);
  }
}
