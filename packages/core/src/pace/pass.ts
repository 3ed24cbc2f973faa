/** A request that may be made. */
export interface Pass {
  /** Grows each time that the breaker opens or is told to try: what a request of an earlier era is answered is old news. */
  readonly era: number;
  readonly at: number;
}

/** A request that did not succeed, and is to be made again. */
export interface Failure {
  /** How many failed before it with the same events. */
  readonly failures: number;
  /** How long the service asks to be left alone. */
  readonly retryAfterMs?: number | undefined;
  /** Whether the service says by it that it is sent too much. */
  readonly isPushback?: boolean;
  /** Whether nothing but the rate of requests is wrong. */
  readonly isAlive?: boolean;
}
