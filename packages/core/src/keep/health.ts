import { type Backoff, backoffDelayMs, type Clock } from '@sluice/protocol/toolbox';
import { Alarm } from '../base/alarm.ts';

/** How soon a journal that failed is tried again. */
const RETRY: Backoff = { baseMs: 1_000, maxMs: 60_000 };

interface HealthOptions {
  readonly clock: Clock;
  readonly random: () => number;
  /** The journal failed. */
  readonly onFailed: (error: unknown) => void;
  /** The journal works again. */
  readonly onRecovered: () => void;
  /** It is time to try a journal that failed. */
  readonly onRetry: () => void;
}

/** Whether the journal works. One that failed is left alone for a while before it is tried again. */
export class Health {
  readonly #options: HealthOptions;
  readonly #pause: Alarm;
  #failures = 0;
  #changes = 0;

  constructor(options: HealthOptions) {
    this.#options = options;
    this.#pause = new Alarm(options.clock, options.onRetry);
  }

  get isFailing(): boolean {
    return this.#failures > 0;
  }

  /** Whether the journal is left alone now. */
  get isResting(): boolean {
    return this.#pause.isSet;
  }

  /** Number of changes between working and failing. A result says nothing if the journal has changed since its append started. */
  get changes(): number {
    return this.#changes;
  }

  /** An append succeeded. @param changes The number of changes when it started. */
  works(changes: number): void {
    if (!this.isFailing || changes !== this.#changes) return;
    this.#changes += 1;
    this.#failures = 0;
    this.#pause.cancel();
    this.#options.onRecovered();
  }

  /** An append failed. @param changes The number of changes when it started. */
  fails(error: unknown, changes: number = this.#changes): void {
    if (changes !== this.#changes) return;
    const { random, onFailed } = this.#options;
    this.#changes += 1;
    this.#pause.cancel();
    this.#pause.set(backoffDelayMs(this.#failures, RETRY, random));
    this.#failures += 1;
    onFailed(error);
  }

  stop(): void {
    this.#pause.cancel();
  }
}
