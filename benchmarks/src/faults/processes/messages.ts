import type { Audit, AuditRequest } from '../../processes/audit.ts';

/** What a process that tracks is to do. */
export interface TrackingSettings {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly journalDirectory: string;
  /** Which process of the run it is: part of its events' uuids. */
  readonly life: number;
  readonly seed: number;
  /** So many events, then it flushes, closes and ends. Null: until it is told to finish, or killed. */
  readonly total: number | null;
  readonly batchEvents: number;
  readonly timeoutMs: number;
  readonly flushTimeoutMs: number;
}

/** What a process that tracks tells. */
export type TrackingTold =
  /** It is about to make its tracker. */
  | { readonly type: 'started' }
  /** Its events 0 to `count` (exclusive) are in the journal. */
  | { readonly type: 'durable'; readonly count: number }
  /** Something happened that must not. */
  | { readonly type: 'problem'; readonly what: string }
  /** All is flushed and closed. */
  | { readonly type: 'finished'; readonly tracked: number; readonly pending: number };

/** What the emulator's process is asked. */
export type EmulatorAsked =
  | ({ readonly type: 'audit' } & AuditRequest)
  /** To take the service away, and to bring it back. */
  | { readonly type: 'suspend' }
  | { readonly type: 'resume' };

/** What the emulator's process tells. */
export type EmulatorTold =
  | { readonly type: 'ready'; readonly baseUrl: string; readonly apiKey: string }
  | { readonly type: 'done' }
  | ({ readonly type: 'audited' } & Audit);
