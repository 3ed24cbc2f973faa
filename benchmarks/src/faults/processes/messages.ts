import type { TrackerOptions } from '@sluice/core';
import type { Audit, AuditRequest } from '../../processes/audit.ts';

export type Fsync = NonNullable<TrackerOptions['fsync']>;

/** What a process that tracks is to do. */
export interface TrackingSettings {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly journalDirectory: string;
  readonly fsync: Fsync;
  /** Which process of the run it is: part of its events' uuids. */
  readonly life: number;
  readonly seed: number;
  /** So many events, then it flushes, closes and ends. Null: until it is told to finish, or killed. */
  readonly total: number | null;
  /** What it calls durable: what is in the journal, or what `durable()` says is. */
  readonly durableWhen: 'written' | 'synced';
  readonly mostPerBurst: number;
  readonly tickMs: number;
  readonly batchEvents: number;
  readonly maxWaitMs: number;
  readonly timeoutMs: number;
  readonly flushTimeoutMs: number;
  /** How many times as fast as ours its tracker's clock runs. */
  readonly timeScale: number;
  /** The most that the journal takes on its disk, however little room there is otherwise. Null: as the tracker has it. */
  readonly maxBytes: number | null;
}

/** What a process that tracks tells. */
export type TrackingTold =
  /** It is about to make its tracker. */
  | { readonly type: 'started' }
  /** Its events 0 to `count` (exclusive) are durable. */
  | { readonly type: 'durable'; readonly count: number }
  /** Something happened that must not. */
  | { readonly type: 'problem'; readonly what: string }
  /** The journal reported a failure: whether it may, the fault knows. */
  | { readonly type: 'storageFailed'; readonly what: string }
  /** All is flushed and closed. */
  | { readonly type: 'finished'; readonly tracked: number; readonly pending: number };

/** What the emulator's process is asked. */
export type EmulatorAsked = { readonly type: 'audit' } & AuditRequest;

/** What the emulator's process tells. */
export type EmulatorTold =
  | { readonly type: 'ready'; readonly baseUrl: string; readonly apiKey: string }
  | ({ readonly type: 'audited' } & Audit);
