import type { Deadline, Waits } from './deadline.ts';
import type { Guarded } from './options/callbacks.ts';
import type { Consent } from './options/options.ts';
import type { DeadLetters } from './parts/dead-letters/dead-letters.ts';
import type { Reporter } from './tell/reporter.ts';
import type { TrackerStats } from './tell/stats.ts';

/** Keeps and delivers the events that a tracker takes. A page has one of its own. */
export interface Engine extends Waits {
  readonly reporter: Reporter;
  readonly hooked: Pick<Guarded, 'prepare'>;
  /** Undefined without the part. */
  readonly deadLetters: DeadLetters | undefined;
  /** Accepts an event. Throws an InvalidEventError if it is too large. @param customer Empty: nobody is identified. */
  take(text: string, at: number, isHigh: boolean, customer: string): void;
  stats(): TrackerStats;
  isGranted(): boolean;
  /** @param customer Undefined: the user is not known. */
  identify(customer?: string): void;
  setConsent(consent: Consent): void;
  setApiKey(key: string): void;
  retryNow(): void;
  /** As `Tracker.drainInBackground`. */
  readonly drainInBackground: () => boolean;
  /** As `Tracker.durable`. */
  durable(): Promise<void>;
  /** Resolves once all events known by now are settled, at the deadline, or when no event can make progress before it. */
  settle(deadline: Deadline): Promise<void>;
  /** From now on, new events are dropped. */
  shut(): void;
  /** Leaves the rest to the journal, and releases all resources. */
  close(): Promise<void>;
  /** Drops the events that no journal holds, and reports them as `closed`. */
  giveUp(): void;
}
