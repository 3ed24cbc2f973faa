import type { DeliveryError, InvalidEventError } from '@sluice/protocol';
import type { StorageError } from '../base/errors/storage-error.ts';
import type { DropReason } from '../base/fate.ts';
import type { BreakerState, Pause } from './stats.ts';

/** What `tracker.on(name, listener)` can listen to, and what the listener gets. */
export interface TrackerEvents {
  /** The service accepted events. */
  readonly delivered: { readonly count: number };
  /** Events were dropped, and why. */
  readonly dropped: { readonly reason: DropReason; readonly count: number };
  /** The service refused an event for good; it is kept as a dead letter. */
  readonly deadLettered: { readonly count: number; readonly status: number; readonly excerpt: string };
  /** `track()` or `identify()` received a value that cannot be sent. */
  readonly invalid: { readonly error: InvalidEventError };
  /** Events that a previous process or page left were found, and will be delivered. */
  readonly recovered: { readonly count: number };
  /** Stored bytes are damaged; they were skipped and kept aside. */
  readonly damaged: { readonly place: string; readonly bytes: number };
  /** A request ended. Its status is 0 if there was no answer. */
  readonly request: { readonly url: string; readonly status: number; readonly durationMs: number };
  /** A request failed. The error's message says what Sluice does next. */
  readonly requestFailed: { readonly error: DeliveryError };
  /** The disk or the browser's storage failed. Events continue in memory, as long as it has room. */
  readonly storageFailed: { readonly error: StorageError };
  /** The breaker changed: requests are made, wait, or one is made to test the service. */
  readonly breaker: { readonly state: BreakerState };
  /** The sender pauses. The events are not at fault: all are kept, and a probe is sent from time to time. */
  readonly paused: Pause;
  /** The pause is over: requests are made again. */
  readonly resumed: Record<string, never>;
  /** The service pushed back: Sluice makes at most this many requests per second. Undefined: the limit is gone. */
  readonly rateLimit: { readonly perSecond: number | undefined };
  /**
   * The most bytes or events that Sluice sends in a request have changed: they fall when the service refuses more, and may rise
   * later. Undefined: no limit.
   */
  readonly bodyLimit: { readonly bytes: number | undefined; readonly events: number | undefined };
  /** Events are kept in another place now: in memory because the journal failed, or in the journal again. */
  readonly storageChanged: { readonly kind: string };
  /** Dead letters wait to be sent again; they count as recovered. */
  readonly replayed: { readonly count: number };
  /** Dead letters were dropped: they were too old, there was no room, or consent was denied. */
  readonly deadLettersDropped: { readonly reason: 'full' | 'expired' | 'denied'; readonly count: number };
  /** Your code failed: a listener, the logger, the clock, a hook. Emitted once for each. */
  readonly callbackFailed: { readonly callback: string; readonly error: Error };
}
