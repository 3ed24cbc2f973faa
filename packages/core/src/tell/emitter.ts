import { attempt } from '../base/user-code.ts';

/** Listeners by event name. A listener that throws or rejects stops neither the others nor the caller. */
export class Emitter<Events extends object> {
  readonly #listeners = new Map<keyof Events, Set<(detail: never) => void>>();
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
    // A wrapper: a function that is added twice is two listeners, and each is removed by its own return value.
    const entry = (detail: Events[Name]) => {
      if (isCalled) return;
      isCalled = true;
      attempt(() => listener(detail), failed);
      isCalled = false;
    };
    const listeners = this.#listeners.get(event) ?? new Set();
    this.#listeners.set(event, listeners.add(entry));
    return () => listeners.delete(entry);
  }

  emit<Name extends keyof Events>(event: Name, detail: Events[Name]): void {
    const listeners = this.#listeners.get(event) ?? [];
    // A copy: a listener that is added in this loop is not called for this event.
    for (const listener of [...listeners]) {
      if (this.#listeners.get(event)?.has(listener)) (listener as (detail: Events[Name]) => void)(detail);
    }
  }
}
