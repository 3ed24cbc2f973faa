import { setTimeout as sleep } from 'node:timers/promises';
import type { CDPSession, Page } from 'playwright';

const POLL_MS = 250;
/** A page that is busy for less than this between two polls counts as idle. The polls themselves take some time. */
const IDLE_MS = 10;
const IDLE_LOOKS = 4;
const BINDING = 'noteCalled' satisfies keyof typeof globalThis;

/** The main thread of a page, observed from outside. */
export class MainThread {
  readonly #session: CDPSession;
  /** Calls of track() that the page has reported in its current loop. */
  called = 0;

  private constructor(session: CDPSession) {
    this.#session = session;
    session.on('Runtime.bindingCalled', ({ name, payload }) => {
      if (name === BINDING) this.called = Number(payload);
    });
  }

  static async of(page: Page): Promise<MainThread> {
    const session = await page.context().newCDPSession(page);
    const thread = new MainThread(session);
    await session.send('Performance.enable');
    await session.send('Runtime.enable');
    await session.send('Runtime.addBinding', { name: BINDING });
    return thread;
  }

  /** How long the main thread has been busy since the page was opened, in milliseconds. Counts all kinds of tasks. */
  async busyMs(): Promise<number> {
    const { metrics } = await this.#session.send('Performance.getMetrics');
    const seconds = metrics.find(({ name }) => name === 'TaskDuration')?.value;
    if (seconds === undefined) throw new Error('Chromium tells no TaskDuration');
    return seconds * 1000;
  }

  /** Memory of the page after a full garbage collection, in bytes: objects and array buffers. */
  async heapBytes(): Promise<number> {
    await this.#session.send('HeapProfiler.collectGarbage');
    const usage: { usedSize: number; backingStorageSize?: number } =
      await this.#session.send('Runtime.getHeapUsage');
    return usage.usedSize + (usage.backingStorageSize ?? 0);
  }

  /** Resolves to true once the thread has been idle for one second; to false if it is not by `deadline`, a Date.now() time. */
  async idleBy(deadline: number): Promise<boolean> {
    let idleLooks = 0;
    let before = await this.busyMs();
    while (Date.now() < deadline) {
      await sleep(POLL_MS);
      const busy = await this.busyMs();
      idleLooks = busy - before < IDLE_MS ? idleLooks + 1 : 0;
      if (idleLooks === IDLE_LOOKS) return true;
      before = busy;
    }
    return false;
  }
}
