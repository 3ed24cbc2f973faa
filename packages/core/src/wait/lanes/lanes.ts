import type { Parcel } from '../parcel.ts';
import type { ParcelList } from '../parcel-list.ts';
import type { RingBuffer, RingBufferOptions } from '../ring-buffer.ts';

/** What the queue needs of a ring buffer. */
export type Ring = Pick<
  RingBuffer,
  'count' | 'bytes' | 'roughBytes' | 'first' | 'filling' | 'parcels' | 'seal' | 'remove' | 'recount'
> & {
  push(text: string, time: number, lane: number): boolean;
  /** The customers of stored events are not known: they keep all lanes busy, and go before all events of this process. Left out: no. */
  recovered?(parcel: Parcel): void;
  /** What is left of a parcel that was removed takes its place. */
  unshift(rest: Parcel, parcel: Parcel): void;
  /** The parcels that may be sent: no older event of their customers waits, or is in a lane that is busy. Left out: all. */
  free?(busy: number, mayGo: (parcel: Parcel) => boolean): Iterable<Parcel>;
};

/** Says which parcels may be sent, and which may be joined, by the customers of their events. */
export interface Lanes {
  /** The lane of a customer. */
  laneOf(customer: string): number;
  createRing(options: RingBufferOptions, onSealed: (parcel: Parcel) => void): Ring;
  /**
   * Of these, the parcels that may be sent: no older event of their customers waits, or is in a lane that is busy.
   *
   * @param busy `TO_END`: then it does not matter whether they may be sent.
   */
  free(parcels: Iterable<Parcel>, busy: number): Iterable<Parcel>;
  /** Puts a parcel back before all that go after it. */
  putBack(list: ParcelList, parcel: Parcel): void;
  /** Divides the events of a parcel in two halves, each with all events of its customers. One, if there is only one customer. */
  halves(parcel: Parcel): Parcel[][];
}
