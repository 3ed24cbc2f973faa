/** Retries allowed at the start, so that a first burst of failures can be retried at once. */
const INITIAL_RETRIES = 10;
const MOST_RETRIES = 100;
/** One retry in this time is always allowed. */
const RETRY_EVERY_MS = 10_000;
/** Longest wait before asking again, because a success may allow a retry earlier. */
const LOOK_AGAIN_MS = 1_000;

/** Limits retries to a part of the successes, plus one in ten seconds, so that they add no load to a failing service. */
export class RetryBudget {
  readonly #perSuccess: number;
  #retries = INITIAL_RETRIES;
  #countedAt: number;

  /** @param perSuccess Retries that one success allows. */
  constructor(perSuccess: number, now: number) {
    this.#perSuccess = perSuccess;
    this.#countedAt = now;
  }

  succeeded(): void {
    this.#add(this.#perSuccess);
  }

  /** How long to wait before asking again, in milliseconds; 0 if a retry may be made now. */
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
