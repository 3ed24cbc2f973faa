/**
 * What a process of the fleet does.
 * - `tracker`: owns a slot, and sends its own events.
 * - `publisher`: only inserts.
 * - `forwarder`: tracks nothing, and sends what others left, also the outbox.
 * - `outbox`: inserts events in transactions, of which some are rolled back.
 */
export type Role = 'tracker' | 'publisher' | 'forwarder' | 'outbox';

/** Settings of a process of the fleet. */
export interface MemberSettings {
  readonly role: Role;
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly connectionString: string;
  /** Number of the process. It is part of the uuids of its events. */
  readonly life: number;
  readonly seed: number;
  readonly leaseMs: number;
  /** How long it waits between two bursts of events, in milliseconds. */
  readonly tickMs: number;
}

/** The messages of a process of the fleet. */
export type MemberTold =
  | { readonly type: 'started' }
  /** Its events from `from` to `to` (exclusive) are durable. */
  | { readonly type: 'durable'; readonly from: number; readonly to: number }
  /** Its transaction with these events was rolled back: they must never arrive. */
  | { readonly type: 'rolledBack'; readonly from: number; readonly to: number }
  /** Something happened that must not happen. */
  | { readonly type: 'problem'; readonly what: string }
  /** It was told to finish, and all that it tracked is durable. */
  | { readonly type: 'finished' };

/** The most events in a request. */
export const BATCH_EVENTS = 100;
