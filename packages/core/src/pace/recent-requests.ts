/** Failures in a row that open the breaker. */
const FAILURES_TO_OPEN = 5;
/** If half of this many last requests failed, the breaker opens too. */
const WINDOW_REQUESTS = 20;

/** The outcomes of the last requests. */
export class RecentRequests {
  /** Failures since the last success. */
  failuresInARow = 0;
  /** For each of the last requests: whether it failed. */
  #failed: boolean[] = [];

  /** Whether the window of requests is full and none of them failed. */
  get areClean(): boolean {
    return this.#failed.length === WINDOW_REQUESTS && !this.#failed.includes(true);
  }

  succeeded(): void {
    this.failuresInARow = 0;
    this.#record(false);
  }

  /** Records a failure. Returns whether the breaker must open. */
  failed(): boolean {
    this.failuresInARow += 1;
    this.#record(true);
    const failed = this.#failed.filter((isFailure) => isFailure).length;
    const isHalf = this.#failed.length === WINDOW_REQUESTS && failed * 2 >= WINDOW_REQUESTS;
    return this.failuresInARow >= FAILURES_TO_OPEN || isHalf;
  }

  /** From now on, one more failure opens the breaker. */
  doubt(): void {
    this.failuresInARow = FAILURES_TO_OPEN - 1;
  }

  /** The breaker opens: later requests are counted from zero. */
  restart(): void {
    this.#failed = [];
  }

  #record(isFailure: boolean): void {
    this.#failed.push(isFailure);
    if (this.#failed.length > WINDOW_REQUESTS) this.#failed.shift();
  }
}
