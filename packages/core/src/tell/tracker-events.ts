import type { DeliveryError, InvalidEventError } from '@sluice/protocol';
import type { StorageError } from '../base/errors/storage-error.ts';
import type { DropReason } from '../base/fate.ts';
import type { BreakerState, Pause } from './stats.ts';

/** What `tracker.on(name, listener)` can listen to, and what the listener gets. */
export interface TrackerEvents {
  /** The service took events. */
  readonly delivered: { readonly count: number };
  /** Events are lost, and why. */
  readonly dropped: { readonly reason: DropReason; readonly count: number };
  /** The service refused an event for good; it is kept as a dead letter. */
  readonly deadLettered: { readonly count: number; readonly status: number; readonly excerpt: string };
  /** `track()` or `identify()` was given something that cannot be sent. */
  readonly invalid: { readonly error: InvalidEventError };
  /** Events of an earlier life were found and will be delivered. */
  readonly recovered: { readonly count: number };
  /** Stored bytes are damaged; they were skipped and kept aside. */
  readonly damaged: { readonly place: string; readonly bytes: number };
  /** A request did not succeed. What follows is in the error's message. */
  readonly failedAttempt: { readonly error: DeliveryError };
  /** The disk or the browser's storage failed. Events go on in memory as far as it holds. */
  readonly storageFailed: { readonly error: StorageError };
  /** Requests flow, wait, or are about to be tried again. */
  readonly breaker: { readonly state: BreakerState };
  /** Nothing is wrong with the events: all are kept, and the service is asked again from time to time. */
  readonly paused: Pause;
  /** Requests flow again after a pause. */
  readonly resumed: Record<string, never>;
  /** The service pushed back, or has not for long: so many requests a second are made at the most. */
  readonly rateLimit: { readonly perSecond: number | undefined };
  /** The service refused a larger body: bodies have so many bytes at the most. */
  readonly bodyLimit: { readonly bytes: number };
  /** Where events are kept has changed: the journal failed and memory goes on, or the journal is back. */
  readonly journal: { readonly kind: string };
  /** Dead letters take the road of events again; they are counted as recovered. */
  readonly replayed: { readonly count: number };
  /** Dead letters are gone: too old, or the oldest of too many, or consent to keep them was denied. */
  readonly deadLettersDropped: { readonly reason: 'full' | 'expired' | 'denied'; readonly count: number };
  /** Code of yours failed: a listener, the logger, the clock, a hook. Raised once for each. */
  readonly hookFailed: { readonly hook: string; readonly error: Error };
}
