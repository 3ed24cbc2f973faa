import { afterEach, describe, expect, it, vi } from 'vitest';
import { VirtualClock } from '../../src/entries/testing/virtual-clock.ts';
import type { Sharing } from '../../src/keep/journal.ts';
import { createSendTurn, type SendTurn } from '../../src/send/send-turn.ts';

/** Of a page that is gone, as in WebKit: its signal never aborts. */
class DeadController extends AbortController {
  override abort(): void {}
}

afterEach(() => void vi.unstubAllGlobals());

describe('SendTurn', () => {
  it('wakes the sender once when it yields, also in a page whose signals do not abort any more', async () => {
    const sharing: Sharing = {
      hold: (work) => work(),
      refresh: async () => {},
      listen: () => {},
      tell: () => {},
      pause: undefined,
      setPause: async () => {},
    };
    let wakes = 0;
    vi.stubGlobal('AbortController', DeadController);
    const turn: SendTurn = createSendTurn({
      clock: new VirtualClock(),
      gate: { isBusy: false, share: () => {}, sharedPause: undefined, mayStart: true },
      reporter: { storageFailed: () => {} },
      sharing,
      signal: new AbortController().signal,
      waiting: { isDue: true, pending: 1 },
      wake: async () => {
        wakes += 1;
        // As the sender does while a delivery is left.
        if (turn.isOurs && wakes < 100) turn.yield();
      },
    });
    await turn.seek();
    expect(turn.isOurs).toBe(true);
    expect(wakes).toBe(2);
  });
});
