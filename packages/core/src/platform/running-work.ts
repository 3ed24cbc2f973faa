import type { Queue } from '../send/queue.ts';

/** Work that runs side by side. Nothing waits: p-queue, of which a page would need no more than this, is a tenth of its bundle. */
export class RunningWork implements Queue {
  readonly #running = new Set<Promise<void>>();

  get pending(): number {
    return this.#running.size;
  }

  async add(work: () => Promise<void>): Promise<void> {
    const running = work();
    this.#running.add(running);
    try {
      await running;
    } finally {
      this.#running.delete(running);
    }
  }

  async onIdle(): Promise<void> {
    while (this.pending > 0) await Promise.allSettled(this.#running);
  }
}
