import type { Parcel } from '../parcel.ts';
import type { RingBuffer } from '../ring-buffer.ts';

/** What the queue needs of a ring buffer. */
export type Ring = Pick<
  RingBuffer,
  'count' | 'bytes' | 'roughBytes' | 'first' | 'filling' | 'parcels' | 'seal' | 'remove' | 'recount'
> & {
  push(text: string, time: number, lane: number): boolean;
  /**
   * The customers of stored events are not known: they keep all lanes busy, and go before all events of this process. Left out if
   * their order does not matter.
   */
  recovered?(parcel: Parcel): void;
  /** What is left of a parcel that was removed takes its place. */
  unshift(rest: Parcel, parcel: Parcel): void;
  /** The parcels that may be sent: no older event of their customers waits, or is in a lane that is busy. Left out: all. */
  free?(busy: number, mayGo: (parcel: Parcel) => boolean): Iterable<Parcel>;
};
