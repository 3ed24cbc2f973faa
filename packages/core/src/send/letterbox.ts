import type { Clock } from '@sluice/protocol/toolbox';
import { Alarm } from '../base/alarm.ts';
import type { Reporter } from '../tell/reporter.ts';
import type { Parcel } from '../wait/parcel.ts';
import type { Waiting } from './waiting.ts';

/** Why the service refused an event for good. */
export interface Refusal {
  readonly status: number;
  /** The start of the service's answer. */
  readonly excerpt: string;
}

/** Where dead letters are kept. */
export interface LetterStore {
  /** Stores the one event of a parcel as a dead letter. Rejects with a StorageError if that fails. */
  keep(parcel: Pick<Parcel, 'events'>, refusal: Refusal): Promise<void>;
}

/** How soon dead letters that could not be stored are tried again. */
const RETRY_MS = 60_000;
/** Maximum number of dead letters held here. Beyond that, the delivery of a refused event waits with it. */
const MOST_HELD = 1_000;

interface LetterboxOptions {
  readonly clock: Clock;
  readonly waiting: Pick<Waiting, 'end'>;
  readonly letters: Pick<LetterStore, 'keep'>;
  readonly reporter: Pick<Reporter, 'emit' | 'storageFailed'>;
}

/** Makes dead letters of events that the service refused for good. */
export class Letterbox {
  readonly #options: LetterboxOptions;
  /** Dead letters that could not be stored. Each function tries again; it resolves to false if that fails. */
  readonly #held = new Set<() => Promise<boolean>>();
  readonly #retry: Alarm;

  constructor(options: LetterboxOptions) {
    this.#options = options;
    this.#retry = new Alarm(options.clock, () => void this.#keepHeld());
  }

  /**
   * Stores the one event of a parcel as a dead letter. If storage fails, tries again every minute, while others go on. Returns
   * false if too many dead letters wait for that already.
   */
  async put(parcel: Parcel, status: number, excerpt: string): Promise<boolean> {
    const keep = () => this.#keep(parcel, status, excerpt);
    if (await keep()) return true;
    if (this.#held.size >= MOST_HELD) return false;
    this.#held.add(keep);
    this.#wait();
    return true;
  }

  /** Cancels the timer. Events whose dead letters could not be stored stay where they are. */
  stop(): void {
    this.#retry.stop();
  }

  async #keep(parcel: Parcel, status: number, excerpt: string): Promise<boolean> {
    const { letters, reporter, waiting } = this.#options;
    try {
      await letters.keep(parcel, { status, excerpt });
    } catch (error) {
      reporter.storageFailed(error);
      return false;
    }
    await waiting.end(parcel, 'deadLettered');
    reporter.emit('deadLettered', { count: 1, status, excerpt });
    return true;
  }

  #wait(): void {
    if (this.#held.size > 0) this.#retry.set(RETRY_MS);
  }

  async #keepHeld(): Promise<void> {
    for (const keep of this.#held) {
      if (this.#retry.isStopped || !(await keep())) break;
      this.#held.delete(keep);
    }
    this.#wait();
  }
}
