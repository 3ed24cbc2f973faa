import { MAX_TIMER_MS } from '@sluice/protocol';
import { platform } from '#platform';
import type { Clock } from './base/clock.ts';
import { attempt } from './base/user-code.ts';
import type { FinishOptions } from './tell/stats.ts';

const ignore = (): void => {};

/** A moment after which nobody waits any longer: a time-out, or a signal before it. */
export class Deadline {
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #signals: readonly AbortSignal[];
  readonly #at: number;
  readonly #over = platform.createAbortController();

  constructor(clock: Clock, timeoutMs: number, ...signals: readonly (AbortSignal | undefined)[]) {
    this.#clock = clock;
    // Infinity is a fair thing to ask for.
    this.#timeoutMs = Math.min(timeoutMs, MAX_TIMER_MS);
    this.#signals = signals.filter((signal) => signal !== undefined);
    this.#at = clock.now() + this.#timeoutMs;
  }

  /** When it is, in milliseconds since 1970. */
  get at(): number {
    return this.#at;
  }

  /** Aborted once nobody waits any longer: for work that would otherwise keep a waiter until it is done. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  /** Resolves with the work, or at the deadline. Keeps a Node process alive meanwhile: somebody awaits it. */
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
        // A signal of the user's own may break its word.
        attempt(() => void listeners.push(platform.onAbort(signal, end)), ignore);
      }
      // Rejected first, so that the end that follows changes nothing but cleans up.
      work.catch(reject).finally(end);
    });
  }
}

/** What was asked of `flush()` or `close()`, as far as it makes sense: these never reject, whatever they are given. */
export function finishOptions(
  options: FinishOptions | null | undefined,
  defaultMs: number,
): { timeoutMs: number; signal: AbortSignal | undefined } {
  try {
    const { timeoutMs, signal } = options ?? {};
    return {
      timeoutMs: typeof timeoutMs === 'number' && timeoutMs >= 0 ? timeoutMs : defaultMs,
      // Of another realm, it is no instance of this one's class.
      signal: typeof signal?.addEventListener === 'function' ? signal : undefined,
    };
  } catch {
    return { timeoutMs: defaultMs, signal: undefined };
  }
}
