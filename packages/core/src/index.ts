export {
  ConfigError,
  DeliveryError,
  InvalidEventError,
  isSluiceError,
  SluiceError,
  type SluiceErrorCode,
} from '@sluice/protocol';
export type { DropReason } from './books.ts';
export type { AcceptingAnswer, Classify, RejectedEvent } from './classify.ts';
export type { Clock, Timer } from './clock.ts';
export type { DeadLetter } from './dead-letter.ts';
export type { DeadLetterFilter, DeadLetters } from './dead-letters.ts';
export type { Action, DeliveryPolicy } from './delivery-policy.ts';
export { ClosedError } from './errors/closed-error.ts';
export { StorageError } from './errors/storage-error.ts';
export type { TrackOptions } from './event-text.ts';
export type { EventBytes, Journal, JournalObserver, Limit, Range, Reading } from './journal.ts';
export type { Logger } from './logger.ts';
export type { Consent, Ordering, TrackerOptions } from './options.ts';
export type { Parts } from './parts.ts';
export type {
  BreakerState,
  FinishOptions,
  FlushReport,
  Latency,
  Pause,
  PauseReason,
  TrackerStats,
} from './stats.ts';
export { createTracker, type Tracker } from './tracker.ts';
export type { TrackerEvents } from './tracker-events.ts';
export type { Outcome, Timeouts, Transport, TransportRequest } from './transport.ts';
