import type { Batch } from '../wait/batch.ts';

/** Why the service refused an event for good. */
export interface Refusal {
  readonly status: number;
  /** The start of the service's answer. */
  readonly excerpt: string;
}

/** Where dead letters are kept. */
export interface LetterStore {
  /** Number of letters, as far as storage was read. */
  readonly count: number;
  /** Bytes that they take in storage. */
  readonly bytes: number;
  /** Stores the one event of a batch as a dead letter. Rejects with a StorageError if that fails. */
  keep(batch: Pick<Batch, 'events'>, refusal: Refusal): Promise<void>;
  /** Deletes all letters. Returns how many. Rejects with a StorageError if that fails. */
  clear(): Promise<number>;
  close(): Promise<void>;
}
