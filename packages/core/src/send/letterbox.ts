import type { Clock } from '@sluice/protocol/toolbox';
import { Alarm } from '../base/alarm.ts';
import type { Reporter } from '../tell/reporter.ts';
import type { Parcel } from '../wait/parcel.ts';
import type { Waiting } from '../wait/waiting.ts';

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
export interface Letterbox {
  /**
   * Stores the one event of a parcel as a dead letter. If storage fails, tries again every minute, while others go on. Returns
   * false if too many dead letters wait for that already.
   */
  put(parcel: Parcel, status: number, excerpt: string): Promise<boolean>;
  /** Cancels the timer. Events whose dead letters could not be stored stay where they are. */
  stop(): void;
}

export function createLetterbox(options: LetterboxOptions): Letterbox {
  const { clock, letters, reporter, waiting } = options;
  /** Dead letters that could not be stored. Each function tries again; it resolves to false if that fails. */
  const held = new Set<() => Promise<boolean>>();
  const retry = new Alarm(clock, () => void keepHeld());

  async function store(parcel: Parcel, status: number, excerpt: string): Promise<boolean> {
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

  function wait(): void {
    if (held.size > 0) retry.set(RETRY_MS);
  }

  async function keepHeld(): Promise<void> {
    for (const keep of held) {
      if (retry.isStopped || !(await keep())) break;
      held.delete(keep);
    }
    wait();
  }

  return {
    async put(parcel, status, excerpt) {
      const keep = () => store(parcel, status, excerpt);
      if (await keep()) return true;
      if (held.size >= MOST_HELD) return false;
      held.add(keep);
      wait();
      return true;
    },
    stop: () => retry.stop(),
  };
}
