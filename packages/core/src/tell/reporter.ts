import { type Clock, tried } from '@sluice/protocol/toolbox';
import { StorageError, storageError } from '../base/errors/storage-error.ts';
import type { DropReason, Fate } from '../base/fate.ts';
import { invalidEvent, isThrown, reasonOf } from '../base/reason.ts';
import { attempt } from '../base/user-code.ts';
import type { Books } from './books.ts';
import type { TrackerStats } from './stats.ts';
import type { TrackerEvents } from './tracker-events.ts';

/** Is told of everything that happens. */
export type Tell = (event: string, detail: object) => void;

/** Emits what happens to the listeners. When events are recovered or end, it updates the books first. */
export class Reporter {
  readonly #books: Books;
  readonly #clock: Clock;
  readonly #tells: readonly (Tell | false | undefined)[];
  readonly #listeners = new Set<Tell>();
  readonly #failedCallbacks = new Set<string>();
  #kind: string | undefined;
  lastError: TrackerStats['lastError'];

  /** @param tells The logger, the console, and those who listen to all trackers of the process. */
  constructor(books: Books, clock: Clock, tells: readonly (Tell | false | undefined)[] = []) {
    this.#books = books;
    this.#clock = clock;
    this.#tells = tells;
  }

  /**
   * Adds a listener. While it runs, it is not called for events that it causes itself. If it throws or rejects, this stops neither
   * the others nor the caller, and is told once. Returns a function that removes it.
   */
  on<Name extends keyof TrackerEvents>(
    event: Name,
    listener: (detail: TrackerEvents[Name]) => void,
  ): () => void {
    let hasFailed = false;
    let isCalled = false;
    const failed = (error: unknown) => {
      if (!hasFailed) this.#raise(`listener of ${event}`, error);
      hasFailed = true;
    };
    // A function that is added twice is two listeners, and each is removed by its own return value.
    const entry = (name: string, detail: object) => {
      if (name !== event || isCalled || !this.#listeners.has(entry)) return;
      isCalled = true;
      // The cast is safe: the detail is of this event.
      attempt(() => listener(detail as TrackerEvents[Name]), failed);
      isCalled = false;
    };
    this.#listeners.add(entry);
    return () => this.#listeners.delete(entry);
  }

  /** Emits something that changes no counts. */
  emit<Name extends keyof TrackerEvents>(event: Name, detail: TrackerEvents[Name]): void {
    // A copy: a listener that is added in this loop is not called for this event.
    for (const listener of [...this.#listeners]) listener(event, detail);
    this.tell(event, detail);
  }

  /** Tells all but the listeners. */
  tell(event: string, detail: object): void {
    // Tests replace the console by one that throws.
    for (const told of this.#tells) if (told) tried(() => told(event, detail));
  }

  /** Counts and emits the end of events. Emits nothing for dead letters: the code that keeps a letter emits more details. */
  readonly settled = (fate: Fate, count: number): void => {
    if (count === 0) return;
    if (fate === 'delivered') {
      this.#books.delivered += count;
      this.emit('delivered', { count });
    } else if (fate === 'deadLettered') this.#books.deadLettered += count;
    else {
      this.#books.dropped[fate] += count;
      this.emit('dropped', { reason: fate, count });
    }
  };

  /** Accepts an event that is dropped at once. */
  dropped(reason: DropReason): void {
    this.#books.accepted += 1;
    this.settled(reason, 1);
  }

  invalid(cause: unknown, event?: unknown): void {
    this.#books.invalid += 1;
    this.emit('invalid', { error: invalidEvent(cause, event) });
  }

  /** Counts and emits pending events that did not come from `track()`: found in storage, or replayed dead letters. */
  recovered(event: 'recovered' | 'replayed', count: number): void {
    this.#books.recovered += count;
    this.emit(event, { count });
  }

  requestFailed(error: TrackerEvents['requestFailed']['error']): void {
    this.#keep(error);
    this.emit('requestFailed', { error });
  }

  readonly storageFailed = (cause: unknown): void => {
    const error = isThrown(cause, StorageError) ? cause : storageError('storage failed', cause);
    this.#keep(error);
    this.emit('storageFailed', { error });
  };

  /** Sets the kind of journal that keeps events now. Emits `storageChanged` if the kind has changed. */
  journal(kind: string): void {
    const before = this.#kind ?? kind;
    this.#kind = kind;
    if (before !== kind) this.emit('storageChanged', { kind });
  }

  /** User code failed. Emits `callbackFailed` once for each callback. */
  callbackFailed(callback: string, cause: unknown): void {
    if (this.#failedCallbacks.has(callback)) return;
    this.#failedCallbacks.add(callback);
    this.#raise(callback, cause);
  }

  /** Emits in a microtask: the failure may come before a listener can be added. */
  #raise(callback: string, cause: unknown): void {
    const error = isThrown(cause, Error) ? cause : new Error(reasonOf(cause));
    queueMicrotask(() => this.emit('callbackFailed', { callback, error }));
  }

  #keep({ message }: Error): void {
    this.lastError = { at: this.#clock.now(), message };
  }
}
