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
interface Leaving {
  /** Whether the process ends, or the page is being left. An event tracked now must be written at once, or it is lost. */
  readonly isLeft: boolean;
  /** Stops to listen. */
  readonly stop: () => void;
  /** Writes all events before it returns, as far as the platform can do that. Never throws. */
  writeNow(): void;
  /** Writes all events, and sends them at once if there is time for it. */
  writeAndSend(hasTime?: boolean): Promise<void>;
}

export function createLeaving(options: LeavingOptions): Leaving {
  const { admission, dispatch, journal, reporter, waiting } = options;
  let isLeft = false;
  const stop = platform.lifecycle.listen({
    exit: (isFinal) => {
      isLeft = isFinal;
      writeNow();
    },
    go: () => {
      if (admission.isDenied) return;
      void admission.write();
      waiting.commit.writeNow();
    },
    hide,
    show: () => {
      isLeft = false;
      dispatch.show();
    },
    online: () => dispatch.online(),
    offline: () => dispatch.offline(),
  });

  function writeNow(): void {
    if (admission.isDenied) return;
    try {
      admission.leave();
      platform.writeNow(waiting.commit);
    } catch (error) {
      reporter.storageFailed(error);
    }
  }

  async function writeAndSend(hasTime: boolean = true): Promise<void> {
    const calm = waiting.hurry();
    await waiting.commitAll();
    if (hasTime) await dispatch.wake();
    calm();
  }

  function hide(isSure: boolean, isKept: boolean): void {
    // Before `isLeft` is set: after that, each event that this releases would be written by itself.
    admission.leave();
    // Consent is denied: nothing is written or sent.
    if (admission.isDenied) return;
    // A page that is left may be hidden after that: it has sent what it had, and leaves the rest to the next page.
    const sendsNothing = isLeft || isKept;
    isLeft ||= isSure;
    const send = together(journal, () => {
      const send = dispatch.leave(isLeft, sendsNothing);
      waiting.commit.writeNow();
      if (!sendsNothing) void writeAndSend(!isSure);
      return send;
    });
    send();
  }

  return {
    get isLeft() {
      return isLeft;
    },
    stop,
    writeNow,
    writeAndSend,
  };
}
