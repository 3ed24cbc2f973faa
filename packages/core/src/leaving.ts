import { platform } from '#platform';
import { attempt } from './base/user-code.ts';
import type { Dispatch } from './dispatch.ts';
import type { Admission } from './parts/hold/admission.ts';
import type { Reporter } from './tell/reporter.ts';
import type { Waiting } from './wait/waiting.ts';

interface LeavingOptions {
  readonly waiting: Waiting;
  readonly admission: Admission;
  readonly dispatch: Dispatch;
  readonly reporter: Reporter;
}

/** Writes and sends events when the process ends, or when the app goes to the background. */
interface Leaving {
  /** Whether the process ends. An event tracked now must be written at once, or it is lost. */
  readonly isLeft: boolean;
  /** Stops to listen. */
  readonly stop: () => void;
  /** Writes all events before it returns, as far as the journal can do that. Never throws. */
  writeNow(): void;
  /** Writes all events, and sends them. */
  writeAndSend(): Promise<void>;
}

export function createLeaving({ admission, dispatch, reporter, waiting }: LeavingOptions): Leaving {
  let isLeft = false;
  const stop = platform.lifecycle.listen({
    exit(isFinal) {
      isLeft = isFinal;
      writeNow();
    },
    // Held events come first: this may release some of them.
    hide: () => void admission.write().then(writeAndSend),
    show: dispatch.show,
    online: dispatch.online,
    offline: dispatch.offline,
  });

  function writeNow(): void {
    if (admission.isDenied) return;
    attempt(() => admission.leave(), reporter.storageFailed);
    attempt(() => waiting.commit.writeNow(), reporter.storageFailed);
  }

  async function writeAndSend(): Promise<void> {
    const calm = waiting.hurry();
    await waiting.commitAll();
    await dispatch.wake();
    calm();
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
