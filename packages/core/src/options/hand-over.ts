import { attempt } from '../base/user-code.ts';

export interface HandOverOptions {
  /** The user's: tells the host what to wait for. */
  readonly waitUntil: (work: Promise<unknown>) => void;
  /** Events ever tracked. */
  readonly tracked: () => number;
  /** Resolves once what is tracked by now is settled, or cannot be. */
  readonly flush: () => Promise<unknown>;
  readonly onFailed: (error: unknown) => void;
}

/** Tells a host that freezes or ends after each request what is still to be done: one promise for all that is tracked until it resolves. */
export class HandOver {
  readonly #options: HandOverOptions;
  #isUnderWay = false;

  constructor(options: HandOverOptions) {
    this.#options = options;
  }

  /** An event was tracked. At once, and not later: hosts take no more work once the response is there. */
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
      // Not within track().
      await undefined;
      seen = tracked();
      await flush();
    } while (tracked() > seen);
    this.#isUnderWay = false;
  }
}
