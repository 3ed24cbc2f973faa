import { type Clock, MAX_TIMER_MS } from '@sluice/protocol/toolbox';
import { platform } from '#platform';
import { attempt } from './base/user-code.ts';
import type { FinishOptions } from './tell/stats.ts';

const ignore = (): void => {};

/** The end of a wait: a time-out, or a signal before it. */
export class Deadline {
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #signals: readonly AbortSignal[];
  readonly #at: number;
  readonly #over = platform.createAbortController();

  constructor(clock: Clock, timeoutMs: number, ...signals: readonly (AbortSignal | undefined)[]) {
    this.#clock = clock;
    // The caller may pass Infinity, but timers take no more than this.
    this.#timeoutMs = Math.min(timeoutMs, MAX_TIMER_MS);
    this.#signals = signals.filter((signal) => signal !== undefined);
    this.#at = clock.now() + this.#timeoutMs;
  }

  /** When the time-out ends, in milliseconds since 1970. */
  get at(): number {
    return this.#at;
  }

  /** Aborted when the wait is over, so that the work can stop waiting too. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  /** Resolves when the work ends, or at the deadline. Keeps a Node process alive meanwhile, because a caller awaits it. */
  async wait(work: Promise<unknown>): Promise<void> {
    if (this.#signals.some(({ aborted }) => aborted)) return this.#over.abort();
    await new Promise<void>((resolve, reject) => {
      const timer = this.#clock.setTimeout(() => end(), this.#timeoutMs, true);
      const listeners: (() => void)[] = [];
      const end = () => {
        timer.cancel();
        resolve();
        this.#over.abort();
        for (const forget of listeners) attempt(forget, ignore);
      };
      for (const signal of this.#signals) {
        // A user's own signal may throw.
        attempt(() => void listeners.push(platform.onAbort(signal, end)), ignore);
      }
      // Reject first: then the resolve() in `end` has no effect, and `end` only cleans up.
      work.catch(reject).finally(end);
    });
  }
}

/** Reads the options of `flush()` or `close()`. These never reject, so wrong values are replaced by the defaults. */
export function finishOptions(
  options: FinishOptions | null | undefined,
  defaultMs: number,
): { timeoutMs: number; signal: AbortSignal | undefined } {
  try {
    const { timeoutMs, signal } = options ?? {};
    return {
      timeoutMs: typeof timeoutMs === 'number' && timeoutMs >= 0 ? timeoutMs : defaultMs,
      // No `instanceof`: a signal of another realm is not an instance of this realm's class.
      signal: typeof signal?.addEventListener === 'function' ? signal : undefined,
    };
  } catch {
    return { timeoutMs: defaultMs, signal: undefined };
  }
}
