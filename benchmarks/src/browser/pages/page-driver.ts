/** Calls of track(), in chunks of 100. Each chunk is a task of its own. */
export interface Calls {
  /** An event's id is this prefix and a number. */
  readonly prefix: string;
  readonly from: number;
  readonly count: number;
  /** No chunk starts after this many milliseconds. */
  readonly mostMs?: number;
}

export interface Counted {
  readonly called: number;
  /** Duration of the calls of each chunk. */
  readonly chunkMs: readonly number[];
}

/** The functions that the harness calls in a page, as `driver`. */
export interface Driver {
  /** Loads the script of the page with this name, and starts its SDK. */
  start(page: string, serviceUrl: string): Promise<void>;
  track(calls: Calls): Promise<Counted>;
  /** The longest task over 50 ms since the last call of this, or 0. */
  longestTaskMs(): number;
}

declare global {
  var driver: Driver;
  /** Tells the harness how many calls of `track` were made, even if this page is never idle. */
  var noteCalled: ((called: string) => void) | undefined;
}
