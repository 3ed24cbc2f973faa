import { createWith, defaults } from '#engine';
import type { AnyEvents, BigintEvents } from './accept/track.ts';
import type { AnyOptions } from './options/options.ts';
import type { Inputs, Schemas } from './parts/schemas.ts';
import type { Tracker } from './tracker.ts';

export {
  ConfigError,
  DeliveryError,
  InvalidEventError,
  isSluiceError,
  SluiceError,
  type SluiceErrorCode,
} from '@sluice/protocol';
export type { Clock, Timer } from '@sluice/protocol/toolbox';
export type { TrackOptions } from './accept/event-text.ts';
export type { AnyEvents, BigintEvents } from './accept/track.ts';
export { ClosedError } from './base/errors/closed-error.ts';
export { StorageError } from './base/errors/storage-error.ts';
export type { EventBytes, Limit } from './base/event-bytes.ts';
export type { DropReason } from './base/fate.ts';
export type { Range } from './base/range.ts';
export type { Journal, JournalObserver, Reading } from './keep/journal.ts';
export type { Consent, Ordering, RelayedOptions, RelayWithJwt, TrackerOptions } from './options/options.ts';
export type { AcceptingAnswer, Classify, RejectedEvent } from './parts/classify.ts';
export type { DeadLetter, DeadLetterFilter } from './parts/dead-letters/dead-letter.ts';
export type { DeadLetters } from './parts/dead-letters/dead-letters.ts';
export type { DestinationOptions } from './parts/destination.ts';
export type { Draft } from './parts/hooks.ts';
export type { Logger } from './parts/logger.ts';
export type { Parts } from './parts.ts';
export type { Action, DeliveryPolicy } from './send/delivery-policy.ts';
export type { ConnectOptions, RequestDispatcher } from './send/http/connect-options.ts';
export type { Credentials, Outcome, Timeouts, Transport, TransportRequest } from './send/http/transport.ts';
export type {
  BreakerState,
  FinishOptions,
  FlushReport,
  Latency,
  Pause,
  PauseReason,
  PendingReason,
  Suspect,
  TrackerStats,
} from './tell/stats.ts';
export type { TrackerEvents } from './tell/tracker-events.ts';
export type { CustomerTracker, Tracker } from './tracker.ts';

/**
 * Makes a tracker. Synchronous: events tracked while the journal opens wait in memory.
 * @throws A ConfigError if an option is wrong, and nothing else.
 * @example const tracker = createTracker({ baseUrl: 'http://127.0.0.1:4100', apiKey, correlationKey: 'email' });
 */
export function createTracker<const Given extends Schemas>(
  options: AnyOptions & { readonly events: Given },
): Tracker<Inputs<Given>>;
export function createTracker(options: AnyOptions & { readonly bigint: 'string' }): Tracker<BigintEvents>;
export function createTracker<Events extends object = AnyEvents>(options: AnyOptions): Tracker<Events>;
export function createTracker(options: AnyOptions): Tracker {
  return createWith(options, defaults);
}
