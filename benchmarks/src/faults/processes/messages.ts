import type { TrackerOptions } from '@sluice/core';
import type { Audit, AuditRequest } from '../../processes/audit.ts';

export type Fsync = NonNullable<TrackerOptions['fsync']>;

/** The most requests that a process that tracks makes at once. */
export const MOST_REQUESTS = 4;

/** Settings of a process that tracks. */
export interface TrackingSettings {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly journalDirectory: string;
  readonly fsync: Fsync;
  /** Number of the process in its run. It is part of the uuids of its events. */
  readonly life: number;
  readonly seed: number;
  /** After this many events it flushes, closes and ends. Null: it tracks until it is told to finish, or is killed. */
  readonly total: number | null;
  /** Which events it reports as durable: those in the journal, or those for which `durable()` has resolved. */
  readonly durableWhen: 'written' | 'synced';
  readonly mostPerBurst: number;
  readonly tickMs: number;
  readonly batchEvents: number;
  readonly maxWaitMs: number;
  readonly timeoutMs: number;
  readonly flushTimeoutMs: number;
  /** Limit of the journal, however little space is free on the disk. Null: the tracker's defaults. */
  readonly maxBytes: number | null;
}

/** The messages of a process that tracks. */
export type TrackingTold =
  /** It will create its tracker next. */
  | { readonly type: 'started' }
  /** Its events 0 to `count` (exclusive) are durable. */
  | { readonly type: 'durable'; readonly count: number }
  /** Something happened that must not happen. */
  | { readonly type: 'problem'; readonly what: string }
  /** The journal reported a failure. The fault decides whether that is allowed. */
  | { readonly type: 'storageFailed'; readonly what: string }
  /** All events are flushed, and the tracker is closed. */
  | { readonly type: 'finished'; readonly tracked: number; readonly pending: number };

/** The requests to the emulator's process. */
export type EmulatorAsked = { readonly type: 'audit' } & AuditRequest;

/** The messages of the emulator's process. */
export type EmulatorTold =
  | { readonly type: 'ready'; readonly baseUrl: string; readonly apiKey: string }
  | ({ readonly type: 'audited' } & Audit);
