import type { FinishOptions, Tracker } from '@sluice/core';

/** An event of a page, checked. */
export interface PageEvent {
  readonly uuid: string;
  readonly customer: string;
  /** Its JSON, as the service gets it. */
  readonly text: string;
}

/** Events of one request. */
export interface Work {
  /** Whose ids these are: nobody else can make them known. Undefined if no ticket says it. */
  readonly customer: string | undefined;
  readonly events: readonly PageEvent[];
  readonly parcel: string | undefined;
}

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
  /** Resolves once all events are safe. Rejects with a refusal if they may not be. */
  keep(work: Work, now: number): Promise<void>;
  close(options?: FinishOptions): Promise<void>;
}
