/** The right to make one request. */
export interface Pass {
  /** The breaker's era when the request was made. Answers to requests of an earlier era no longer count. */
  readonly era: number;
  /** When the request was made. */
  readonly at: number;
}

/** A request that failed and will be retried. */
export interface Failure {
  /** How many requests with the same events failed before. */
  readonly failures: number;
  /** How long the service asks us to wait, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
  /** Whether the service says that it gets too many requests. */
  readonly isPushback?: boolean;
  /** Whether the service works and only the rate of requests is wrong. */
  readonly isAlive?: boolean;
}
