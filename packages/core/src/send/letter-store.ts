import type { Parcel } from '../wait/parcel.ts';

/** Why the service refused an event for good. */
export interface Refusal {
  readonly status: number;
  /** The start of the service's answer. */
  readonly excerpt: string;
}

/** Where dead letters are kept. */
export interface LetterStore {
  /** Stores the one event of a parcel as a dead letter. Rejects with a StorageError if that fails. */
  keep(parcel: Pick<Parcel, 'events'>, refusal: Refusal): Promise<void>;
}
