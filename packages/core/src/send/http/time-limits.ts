import { systemClock, type Timer } from '@sluice/protocol/toolbox';
import type { Timeouts } from './transport.ts';

// The one at import, as in `systemClock`: tests may replace the global one later.
const { setImmediate } = globalThis;

/** Stops a request when its signal aborts, or when a stage or the whole request takes too long. Always uses real timers. */
export class TimeLimits {
  readonly #timeouts: Timeouts;
  readonly #signal: AbortSignal;
  readonly #stop: (reason: unknown) => void;
  readonly #onAbort = () => this.#stop(this.#signal.reason);
  readonly #total: Timer;
  #stage: Timer | undefined;
  #isOver = false;

  /** @param stop Called with the reason, maybe more than once. */
  constructor(timeouts: Timeouts, signal: AbortSignal, stop: (reason: unknown) => void) {
    this.#timeouts = timeouts;
    this.#signal = signal;
    this.#stop = stop;
    this.#total = this.#after('totalMs', () => !this.#isOver);
    signal.addEventListener('abort', this.#onAbort);
  }

  enter(stage: Exclude<keyof Timeouts, 'totalMs'>): void {
    this.#stage?.cancel();
    const timer = this.#after(stage, () => this.#stage === timer);
    this.#stage = timer;
    if (this.#signal.aborted) this.#onAbort();
  }

  clear(): void {
    this.#stage?.cancel();
    this.#total.cancel();
    this.#stage = undefined;
    this.#isOver = true;
    this.#signal.removeEventListener('abort', this.#onAbort);
  }

  #after(name: keyof Timeouts, isPending: () => boolean): Timer {
    const ms = this.#timeouts[name];
    const onTime = () => {
      if (isPending()) this.#stop(new Error(`timed out: ${name} is ${ms}`));
    };
    // If the process slept, the answer may have arrived meanwhile: the event loop looks at the network first. Node does so before
    // `setImmediate`. Elsewhere a new task comes after those of the network that wait.
    return systemClock.setTimeout(() => (setImmediate ?? setTimeout)(onTime), ms);
  }
}
