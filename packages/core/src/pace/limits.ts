import type { TrackerStats } from '../tell/stats.ts';

/** How large a request of several events may be, in bytes or in events, as far as that is known from refusals. */
export interface SizeLimit {
  readonly most: number;
  /** A request of this size is made. */
  sent(size: number, now: number): void;
  /** The service accepted a request of this size. */
  accepted(size: number, now: number): void;
  /** A request of this size was too large. */
  refused(size: number, now: number): void;
  /** The largest accepted size, as a part of this one. From 1 on, its size is probably not why a request was refused. */
  partTaken(size: number): number;
  /** Whether requests of that size were refused, and none as large was accepted since. */
  refuses(size: number): boolean;
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
   * @param askedMs How long the service asks to wait, in milliseconds.
   */
  pushedBack(sentAt: number, now: number, isAlive?: boolean, askedMs?: number): boolean;
}

/** How many requests to make at once. */
export interface Concurrency {
  readonly limit: number;
  /** How long until one more may be made, in milliseconds; Infinity if one of those under way must end first. */
  waitMs(underWay: ReadonlySet<{ readonly at: number }>, now: number): number;
  /** A request was accepted after this time, in milliseconds. */
  accepted?(latencyMs: number, now: number): void;
  /** The service was away: begins with one request at a time. */
  restart?(): void;
}

/** The limits that Sluice keeps because of the service's answers. */
export interface Limits {
  readonly bytes: SizeLimit;
  readonly events: SizeLimit;
  readonly rate: RateLimit;
  /** What `stats()` says about them. */
  readonly stats: Pick<TrackerStats, 'batchLimit' | 'bodyLimit' | 'rateLimit'>;
}
