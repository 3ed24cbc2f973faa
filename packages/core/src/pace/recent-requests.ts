/** Failures in a row that open the breaker. */
const FAILURES_TO_OPEN = 5;
/** So does half of the last requests. */
const WINDOW_REQUESTS = 20;

/** How the last requests went. */
export class RecentRequests {
  /** Failures since the last success. */
  failuresInARow = 0;
  /** Whether each of the last requests failed. */
  #failed: boolean[] = [];

  /** Whether none of them failed. */
  get areClean(): boolean {
    return this.#failed.length === WINDOW_REQUESTS && !this.#failed.includes(true);
  }

  succeeded(): void {
    this.failuresInARow = 0;
    this.#record(false);
  }

  /** Returns whether that is enough to open the breaker. */
  failed(): boolean {
    this.failuresInARow += 1;
    this.#record(true);
    const failed = this.#failed.filter((isFailure) => isFailure).length;
    const isHalf = this.#failed.length === WINDOW_REQUESTS && failed * 2 >= WINDOW_REQUESTS;
    return this.failuresInARow >= FAILURES_TO_OPEN || isHalf;
  }

  /** One more failure opens the breaker. */
  doubt(): void {
    this.failuresInARow = FAILURES_TO_OPEN - 1;
  }

  /** The breaker opens: later requests are counted from none. */
  restart(): void {
    this.#failed = [];
  }

  #record(isFailure: boolean): void {
    this.#failed.push(isFailure);
    if (this.#failed.length > WINDOW_REQUESTS) this.#failed.shift();
  }
}
