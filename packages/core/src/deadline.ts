import { type Clock, MAX_TIMER_MS, sleep, tried } from '@sluice/protocol/toolbox';
import { platform } from '#platform';
import type { FinishOptions } from './tell/stats.ts';

/** The end of a wait: a time-out, or a signal before it. */
export class Deadline {
  /** When the time-out ends, in milliseconds since 1970. */
  readonly at: number;
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #signals: readonly (AbortSignal | undefined)[];
  readonly #over = new AbortController();

  constructor(clock: Clock, timeoutMs: number, ...signals: readonly (AbortSignal | undefined)[]) {
    this.#clock = clock;
    // The caller may pass Infinity, but timers take no more than this.
    this.#timeoutMs = Math.min(timeoutMs, MAX_TIMER_MS);
    this.#signals = signals;
    this.at = clock.now() + this.#timeoutMs;
  }

  /** Aborted when the wait is over, so that the work can stop waiting too. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  /** Resolves when the work ends, or at the deadline. Keeps a Node process alive meanwhile, because a caller awaits it. */
  async wait(work: Promise<unknown>): Promise<void> {
    const end = () => this.#over.abort();
    const listeners: (() => void)[] = [];
    for (const signal of this.#signals) {
      if (signal?.aborted) end();
      // A user's own signal may throw.
      else if (signal) tried(() => listeners.push(platform.onAbort(signal, end)));
    }
    try {
      await Promise.race([work, sleep(this.#clock, this.#timeoutMs, this.over, true)]);
    } finally {
      end();
      for (const forget of listeners) tried(forget);
    }
  }
}

/** Reads the options of `flush()` or `close()`. What the part `checked` lets pass, because it is absent, is replaced by a default. */
export function finishOptions(
  options: FinishOptions | null | undefined,
  defaultMs: number,
): { timeoutMs: number; signal: AbortSignal | undefined } {
  const { timeoutMs, signal }: FinishOptions = tried(() => ({ ...options })) ?? {};
  return {
    // Negative: a deadline that has passed.
    timeoutMs: typeof timeoutMs === 'number' && timeoutMs >= Number.NEGATIVE_INFINITY ? timeoutMs : defaultMs,
    // No `instanceof`: a signal of another realm is not an instance of this realm's class.
    signal: typeof signal?.addEventListener === 'function' ? signal : undefined,
  };
}
