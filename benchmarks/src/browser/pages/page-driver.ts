/** Calls of track(), in chunks of 100 with a task of its own each. */
export interface Calls {
  /** Events are told apart by this and a number. */
  readonly prefix: string;
  readonly from: number;
  readonly count: number;
  /** No chunk begins later than this. */
  readonly mostMs?: number;
}

export interface Counted {
  readonly called: number;
  /** How long the calls of each chunk took. */
  readonly chunkMs: readonly number[];
}

/** What the harness calls in a page, as `driver`. */
export interface Driver {
  /** Loads the page of this name and opens its SDK. */
  start(page: string, serviceUrl: string): Promise<void>;
  track(calls: Calls): Promise<Counted>;
  /** The longest task over 50 ms since this was last asked, or 0. */
  longestTaskMs(): number;
}

declare global {
  var driver: Driver;
  /** Tells the harness how many calls of `track` were made, also where this page never comes to rest. */
  var noteCalled: ((called: string) => void) | undefined;
}
