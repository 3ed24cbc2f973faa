/** Listeners by event name. A listener that throws or rejects stops neither the others nor the caller. */
export class Emitter<Events extends object> {
  readonly #listeners = new Map<keyof Events, Set<(detail: never) => void>>();
  readonly #onThrow: (error: unknown, event: keyof Events) => void;

  constructor(onThrow: (error: unknown, event: keyof Events) => void) {
    this.#onThrow = onThrow;
  }

  /** Adds a listener. Returns how to remove it. */
  on<Name extends keyof Events>(event: Name, listener: (detail: Events[Name]) => void): () => void {
    // Wrapped, so that a function added twice is two listeners, each removed by its own return value.
    const entry = (detail: Events[Name]) => listener(detail);
    const listeners = this.#listeners.get(event) ?? new Set();
    this.#listeners.set(event, listeners.add(entry));
    return () => listeners.delete(entry);
  }

  emit<Name extends keyof Events>(event: Name, detail: Events[Name]): void {
    const onThrow = (error: unknown) => this.#onThrow(error, event);
    const listeners = this.#listeners.get(event) ?? [];
    // A copy: a listener that adds another is not to meet it in this round.
    for (const listener of [...listeners]) {
      if (!this.#listeners.get(event)?.has(listener)) continue;
      try {
        const result = (listener as (detail: Events[Name]) => unknown)(detail);
        // An asynchronous one rejects where others throw.
        if (result instanceof Promise) result.catch(onThrow);
      } catch (error) {
        onThrow(error);
      }
    }
  }
}
