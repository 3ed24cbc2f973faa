import { attempt } from '../base/user-code.ts';

interface HandOverOptions {
  /** The user's function: tells the host what to wait for. */
  readonly waitUntil: (work: Promise<unknown>) => void;
  /** Number of events tracked so far. */
  readonly tracked: () => number;
  /** Resolves once all events tracked by now are settled, or cannot be settled for now. */
  readonly flush: () => Promise<unknown>;
  readonly onFailed: (error: unknown) => void;
}

/** Gives the host one promise for all events tracked until it resolves. */
class HandOver {
  readonly #options: HandOverOptions;
  #isUnderWay = false;

  constructor(options: HandOverOptions) {
    this.#options = options;
  }

  /** An event was tracked. Calls `waitUntil` at once: hosts take no more work after the response. */
  notify(): void {
    if (this.#isUnderWay) return;
    this.#isUnderWay = true;
    const { waitUntil, onFailed } = this.#options;
    attempt(() => waitUntil(this.#settle()), onFailed);
  }

  async #settle(): Promise<void> {
    const { tracked, flush } = this.#options;
    let seen: number;
    do {
      // The flush must not run inside track().
      await undefined;
      seen = tracked();
      await flush();
    } while (tracked() > seen);
    this.#isUnderWay = false;
  }
}

/** For hosts that freeze or end after each request: tells the host what to wait for. */
export interface WaitUntilPart {
  create(options: HandOverOptions): { notify(): void };
}

/** For pages: `createTracker({ waitUntil: …, parts: { waitUntil } })`. In Node and on the edge a tracker has this already. */
export const waitUntil: WaitUntilPart = { create: (options) => new HandOver(options) };
