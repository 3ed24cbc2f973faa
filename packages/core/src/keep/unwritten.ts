import type { EventBytes, Limit } from '../base/event-bytes.ts';
import type { Range } from '../base/range.ts';

/** Unwritten events of a parcel, which are given to the journal in one append. */
export interface Handed {
  readonly events: EventBytes;
  /** Whether events like these are given up last. */
  readonly isLast: boolean;
  /** The journal has them. Returns the range if nobody needs it any more, because the events ended meanwhile. */
  placed(range: Range): Range | undefined;
  /** The append failed: they are unwritten again. */
  handBack(): void;
  /** The journal is full: the events end. Returns how many had not ended before. */
  drop(): number;
  /** The events are never given to the journal again. */
  forsake(): void;
}

export interface Unwritten {
  /** When the oldest event was accepted that no journal has or is given. Undefined if there are none. */
  readonly unwrittenSince: number | undefined;
  /** Number of parcels that are worth a write of their own, or are being written. */
  readonly unwrittenParcels: number;
  /** Hands the next of these events to the journal; undefined if there are none. @param isUrgent Only those that wait for no others. */
  hand(limit: Limit, isUrgent: boolean): Handed | undefined;
}
