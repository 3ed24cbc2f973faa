import { untilWoken } from '@sluice/protocol/toolbox';

/** Callers that wait for a change, the smallest first. */
export class Line {
  readonly #waiting = new Map<() => void, number>();

  /** Resolves with the next `wake()`, or when the signal aborts. */
  wait(size: number, signal: AbortSignal): Promise<void> {
    return untilWoken(signal, (wake) => {
      this.#waiting.set(wake, size);
      return () => this.#waiting.delete(wake);
    });
  }

  wake(): void {
    for (const [wake] of [...this.#waiting].sort(([, a], [, b]) => a - b)) wake();
  }
}
