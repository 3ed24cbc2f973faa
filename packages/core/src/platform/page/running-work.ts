import type { Queue } from '../../send/sender.ts';

/** A queue that starts all work at once. A page needs no more than this, and p-queue would be a tenth of its bundle. */
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
