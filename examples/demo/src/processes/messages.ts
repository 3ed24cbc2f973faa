import type { OperatorCustomer } from '../operators.ts';

/** How a process is told where events go. Sent to it, so that the key stands in no command line. */
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

/** What the service's process tells. */
export type ServiceMessage =
  | { readonly type: 'ready'; readonly baseUrl: string; readonly apiUrl: string; readonly apiKey: string }
  | { readonly type: 'failed'; readonly reason: string };

/** What the process that tracks tells. */
export type TrackingMessage =
  | { readonly type: 'tracked'; readonly events: number }
  /** All is tracked, and what was not delivered stands in the journal. */
  | { readonly type: 'written'; readonly accepted: number; readonly pending: number };

/** What the process that comes after the crash tells. */
export type RecoveryMessage =
  | { readonly type: 'draining' }
  /** All that it found is delivered, or time is up. */
  | {
      readonly type: 'drained';
      readonly recovered: number;
      readonly delivered: number;
      readonly pending: number;
    };
