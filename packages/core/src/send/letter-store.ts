import type { Batch } from '../wait/batch.ts';

/** Why the service refused an event for good. */
export interface Refusal {
  readonly status: number;
  /** The start of what it answered. */
  readonly excerpt: string;
}

/** Where dead letters are kept. */
export interface LetterStore {
  /** Letters that are kept, as far as this was looked at. */
  readonly count: number;
  /** Bytes that they take. */
  readonly bytes: number;
  /** Keeps the one event of a batch. Rejects with a StorageError where that fails. */
  keep(batch: Pick<Batch, 'events'>, refusal: Refusal): Promise<void>;
  /** Gives up all of them. Returns how many. Rejects with a StorageError where that fails. */
  clear(): Promise<number>;
  close(): Promise<void>;
}
