import type { OperatorCustomer } from '../operators.ts';

/** Tells a process where to send events. It is sent as a message, so that the key is in no command line. */
export interface TrackerSettings {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly journalDirectory: string;
  readonly logFile: string;
}

export interface ServiceSettings {
  readonly port: number;
  readonly apiPort: number;
  readonly data: string;
  readonly customers: readonly OperatorCustomer[];
}

/** Messages of the service process. */
export type ServiceMessage =
  | { readonly type: 'ready'; readonly baseUrl: string; readonly apiUrl: string; readonly apiKey: string }
  | { readonly type: 'failed'; readonly reason: string };

/** Messages of the process that tracks. */
export type TrackingMessage =
  | { readonly type: 'tracked'; readonly events: number }
  /** All events are tracked. Those that are not delivered yet are in the journal. */
  | { readonly type: 'written'; readonly accepted: number; readonly pending: number };

/** Messages of the process that starts after the crash. */
export type RecoveryMessage =
  | { readonly type: 'draining' }
  /** All events that it found are delivered, or the time-out has passed. */
  | {
      readonly type: 'drained';
      readonly recovered: number;
      readonly delivered: number;
      readonly pending: number;
    };
