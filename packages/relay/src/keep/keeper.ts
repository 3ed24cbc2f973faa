import type { FinishOptions, Tracker } from '@sluice/core';

/** An event of a page. What a page may have written wrongly is not checked yet. */
export interface PageEvent {
  /** Its place in the request. */
  readonly index: number;
  readonly event: unknown;
  readonly correlationValue: unknown;
  readonly source: unknown;
  readonly timestamp: unknown;
  readonly uuid: string;
  readonly payload: unknown;
}

/** Events of one request. */
export interface Work {
  /** Whose ids these are: nobody else can make them known. */
  readonly scope: string;
  readonly events: readonly PageEvent[];
  readonly parcel: string | undefined;
}

/** Index and reason of an event that can never be taken. */
export type Refused = readonly [index: number, reason: string];

/** How much the windows know. */
export interface WindowStats {
  /** All ids of events, and all parcels, of so many milliseconds are known. */
  readonly eventsMs: number;
  readonly parcelsMs: number;
}

/** Keeps events until the service has them. */
export interface Keeper {
  /** Delivers the events. Undefined without a journal. */
  readonly tracker: Tracker | undefined;
  readonly isReady: boolean;
  /** Events that came again, and were not taken again. */
  readonly repeated: number;
  window(now: number): WindowStats | undefined;
  /** Resolves once all events are safe, except those that it names. Rejects with a refusal if they may not be. */
  keep(work: Work, now: number): Promise<readonly Refused[]>;
  close(options?: FinishOptions): Promise<void>;
}
