import { attempt } from '../base/user-code.ts';

/** A listener that was added. */
interface Entry<Events> {
  readonly event: keyof Events;
  call(detail: never): void;
}

/** The listeners. One that throws or rejects stops neither the others nor the caller. */
export class Emitter<Events extends object> {
  readonly #entries = new Set<Entry<Events>>();
  readonly #onFailed: (error: unknown, event: keyof Events) => void;

  /** @param onFailed Called with the first error of each listener. */
  constructor(onFailed: (error: unknown, event: keyof Events) => void) {
    this.#onFailed = onFailed;
  }

  /** Adds a listener. While it runs, it is not called for events that it causes itself. Returns a function that removes it. */
  on<Name extends keyof Events>(event: Name, listener: (detail: Events[Name]) => void): () => void {
    let hasFailed = false;
    let isCalled = false;
    const failed = (error: unknown) => {
      if (hasFailed) return;
      hasFailed = true;
      this.#onFailed(error, event);
    };
    // A function that is added twice is two listeners, and each is removed by its own return value.
    const entry = {
      event,
      call(detail: Events[Name]) {
        if (isCalled) return;
        isCalled = true;
        attempt(() => listener(detail), failed);
        isCalled = false;
      },
    };
    this.#entries.add(entry);
    return () => this.#entries.delete(entry);
  }

  emit<Name extends keyof Events>(event: Name, detail: Events[Name]): void {
    // A copy: a listener that is added in this loop is not called for this event.
    for (const entry of [...this.#entries]) {
      if (entry.event === event && this.#entries.has(entry)) entry.call(detail as never);
    }
  }
}
