import { MAX_TIMER_MS } from '@sluice/protocol';
import type { Clock } from './clock.ts';
import type { FinishOptions } from './stats.ts';
import { attempt } from './user-code.ts';

/** A moment after which nobody waits any longer: a time-out, or a signal before it. */
export class Deadline {
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #signal: AbortSignal | undefined;
  readonly #at: number;

  constructor(clock: Clock, timeoutMs: number, signal: AbortSignal | undefined) {
    this.#clock = clock;
    // Infinity is a fair thing to ask for.
    this.#timeoutMs = Math.min(timeoutMs, MAX_TIMER_MS);
    this.#signal = signal;
    this.#at = clock.now() + this.#timeoutMs;
  }

  /** When it is, in milliseconds since 1970. */
  get at(): number {
    return this.#at;
  }

  /** Resolves with the work, or at the deadline. Keeps a Node process alive meanwhile: somebody awaits it. */
  async wait(work: Promise<void>): Promise<void> {
    const signal = this.#signal;
    if (signal?.aborted) return;
    await new Promise<void>((resolve, reject) => {
      const timer = this.#clock.setTimeout(() => end(), this.#timeoutMs, true);
      const end = () => {
        timer.cancel();
        resolve();
        if (signal !== undefined) forget(signal, end);
      };
      if (signal !== undefined) listen(signal, end);
      // Rejected first, so that the end that follows changes nothing but cleans up.
      work.catch(reject).finally(end);
    });
  }
}

/** Listens to a signal of the user's for all who wait for it: Node warns of more than ten listeners. */
class Waiting extends Set<() => void> implements EventListenerObject {
  handleEvent(): void {
    for (const callback of this) callback();
  }
}

const waiting = new WeakMap<AbortSignal, Waiting>();

function listen(signal: AbortSignal, callback: () => void): void {
  const callbacks = waiting.get(signal) ?? new Waiting();
  waiting.set(signal, callbacks);
  // A signal of the user's own may break its word.
  if (callbacks.size === 0)
    attempt(
      () => signal.addEventListener('abort', callbacks),
      () => {},
    );
  callbacks.add(callback);
}

function forget(signal: AbortSignal, callback: () => void): void {
  const callbacks = waiting.get(signal);
  if (!callbacks?.delete(callback) || callbacks.size > 0) return;
  attempt(
    () => signal.removeEventListener('abort', callbacks),
    () => {},
  );
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
