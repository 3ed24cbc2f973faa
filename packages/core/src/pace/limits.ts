import type { TrackerStats } from '../tell/stats.ts';

/** How large a body may be, as far as that is known from refusals (413). */
export interface SizeLimit {
  /** The maximum size of a body of several events. */
  readonly bytes: number;
  /** Whether a finished batch should be split before it is sent. */
  isTooLarge(bytes: number, now: number): boolean;
  /** The service accepted a body of this size. */
  accepted(bytes: number, now: number): void;
  /** A body of this size was too large. */
  refused(bytes: number, now: number): void;
  /** Whether a body of that size was accepted recently. Then its size is probably not why it was refused. */
  tookAsLarge?(bytes: number): boolean;
  /** The maximum size of a new event, so that its body is not known to be too large. */
  mostEventBytes?(now: number): number;
  /** For the error about an event that is larger. */
  readonly why?: string;
}

/** How many requests a second the service takes, as far as that is known from its push-backs (429, 503). */
export interface RateLimit {
  /** Undefined if there is no limit. */
  readonly perSecond: number | undefined;
  /** How long until the next request may be made, in whole milliseconds. */
  waitMs(now: number): number;
  /** A request is made. */
  take(now: number): void;
  /** A request was accepted. */
  accepted(now: number): void;
  /** Ends the limit, because what is known about the service is outdated. */
  forget(): void;
  /**
   * The service pushed back on a request that was made at `sentAt`. Returns whether the rate limit deals with that: no other
   * measure is needed.
   *
   * @param isAlive Whether the answer shows that the service works.
   */
  pushedBack(sentAt: number, now: number, isAlive?: boolean): boolean;
}

/** The limits that Sluice keeps because of the service's answers. */
export interface Limits {
  readonly size: SizeLimit;
  readonly rate?: RateLimit;
  /** What `stats()` says about them. */
  readonly stats?: Pick<TrackerStats, 'bodyLimit' | 'rateLimit'>;
}
