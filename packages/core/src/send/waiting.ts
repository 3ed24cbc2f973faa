import type { Fate } from '../base/fate.ts';
import type { Parcel } from '../wait/parcel.ts';
import type { Place } from '../wait/queue.ts';

/** All that waits to be sent. This is all that the sender knows of it. */
export interface Waiting {
  /** Number of events that have not ended, those in requests included. */
  readonly pending: number;
  /** Of these, those that the sender has. */
  readonly inFlight: number;
  /** From now on, until the returned function is called, events need not wait for others. */
  hurry(): () => void;
  /** Whether something should be sent now. */
  readonly isDue: boolean;
  /** Whether anything may be sent that the sender does not have, due or not. */
  readonly hasOthers: boolean;
  /** Aborts when consent is denied to send what is taken now. */
  readonly denied: AbortSignal;
  /** Drops the events that are too old. Never rejects. */
  dropExpired(): Promise<void>;
  /** Takes what should be sent next, at most `maxEvents` events. Undefined if nothing is due. Never rejects. */
  next(maxEvents: number): Promise<Parcel | undefined>;
  /**
   * Takes the oldest events that are in memory, due or not. Undefined if there are none, or none that may be sent now.
   *
   * @param maxBytes Maximum size of the body.
   * @param isShared Whether another tab may be sending what the journal holds. Such events stay where they are.
   */
  takeNow(maxBytes: number, isShared: boolean): Parcel | undefined;
  /** How long until all events of a parcel are too old, in milliseconds. Undefined if they never are. */
  expiresInMs(parcel: Parcel): number | undefined;
  /**
   * Replaces a parcel by several, cut before the events with these indexes. Leaves out empty ones. If one is left, it is the same
   * parcel.
   */
  cut(parcel: Parcel, ...indexes: readonly number[]): Parcel[];
  /** Replaces a parcel by two, each with all events of its customers. By one, if there is only one customer. */
  divide(parcel: Parcel): Parcel[];
  /** Puts a parcel back. */
  putBack(parcel: Parcel, place: Place): void;
  /** The service is back: leaves old events to the journal, so that new events need not wait for them. */
  leaveToJournal(): void;
  /**
   * The events of a parcel have ended: releases them from the journal, counts and reports them. Never rejects.
   *
   * @param isUnused Whether nobody reads the body any more. Then its memory may be used again.
   */
  end(parcel: Parcel, fate: Fate, isUnused?: boolean): Promise<void>;
}
