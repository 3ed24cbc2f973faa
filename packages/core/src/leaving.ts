import { platform } from '#platform';
import type { Dispatch } from './dispatch.ts';
import { type Journal, together } from './keep/journal.ts';
import type { Admission } from './parts/hold/admission.ts';
import type { Reporter } from './tell/reporter.ts';
import type { Waiting } from './wait/waiting.ts';

interface LeavingOptions {
  readonly journal: Journal;
  readonly waiting: Waiting;
  readonly admission: Admission;
  readonly dispatch: Dispatch;
  readonly reporter: Reporter;
}

/** Writes and sends events when the process ends, or when the page is hidden or left. */
export class Leaving {
  /** Whether the process ends, or the page is being left. An event tracked now must be written at once, or it is lost. */
  isLeft = false;
  /** Stops to listen. */
  readonly stop: () => void;
  readonly #options: LeavingOptions;

  constructor(options: LeavingOptions) {
    const { dispatch } = options;
    this.#options = options;
    this.stop = platform.lifecycle.listen({
      exit: (isFinal) => {
        this.isLeft = isFinal;
        this.writeNow();
      },
      go: () => {
        if (options.admission.isDenied) return;
        void options.admission.write();
        options.waiting.commit.writeNow();
      },
      hide: (isLeft, isKept) => this.#hide(isLeft, isKept),
      show: () => {
        // The page was frozen, or in the back/forward cache. It has missed what other tabs said.
        if (this.isLeft) options.admission.recheck();
        this.isLeft = false;
        dispatch.show();
      },
      online: () => dispatch.online(),
      offline: () => dispatch.offline(),
    });
  }

  /** Writes all events before it returns, as far as the platform can do that. Never throws. */
  writeNow(): void {
    const { admission, reporter, waiting } = this.#options;
    if (admission.isDenied) return;
    try {
      admission.leave();
      platform.writeNow(waiting.commit);
    } catch (error) {
      reporter.storageFailed(error);
    }
  }

  /** Writes all events, and sends them at once if there is time for it. */
  async writeAndSend(hasTime: boolean = true): Promise<void> {
    const { dispatch, waiting } = this.#options;
    const calm = waiting.hurry();
    await waiting.commitAll();
    if (hasTime) await dispatch.wake();
    calm();
  }

  #hide(isLeft: boolean, isKept: boolean): void {
    const { admission, dispatch, journal, waiting } = this.#options;
    // Before `isLeft` is set: after that, each event that this releases would be written by itself.
    admission.leave();
    // Consent is denied: nothing is written or sent.
    if (admission.isDenied) return;
    // A page that is left may be hidden after that: it has sent what it had, and leaves the rest to the next page.
    const sendsNothing = this.isLeft || isKept;
    this.isLeft ||= isLeft;
    const send = together(journal, () => {
      const send = dispatch.leave(this.isLeft, sendsNothing);
      waiting.commit.writeNow();
      if (!sendsNothing) void this.writeAndSend(!isLeft);
      return send;
    });
    send();
  }
}
