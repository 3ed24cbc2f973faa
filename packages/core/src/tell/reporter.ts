import { InvalidEventError } from '@sluice/protocol';
import { type Clock, tried } from '@sluice/protocol/toolbox';
import { StorageError, storageError } from '../base/errors/storage-error.ts';
import type { DropReason, Fate } from '../base/fate.ts';
import { errorOf, isThrown, reasonOf } from '../base/reason.ts';
import { attempt } from '../base/user-code.ts';
import type { Books } from './books.ts';
import type { TrackerStats } from './stats.ts';
import type { TrackerEvents } from './tracker-events.ts';

/** A listener that was added. */
interface Listener {
  readonly event: keyof TrackerEvents;
  call(detail: object): void;
}

/** Is told of everything that happens. */
export type Tell = (event: string, detail: object) => void;

interface ReporterOptions {
  readonly books: Books;
  readonly clock: Clock;
  /** The logger, the console, and those who listen to all trackers of the process. */
  readonly tells?: readonly Tell[] | undefined;
}

/** Emits what happens to the listeners. When events are recovered or end, it updates the books first. Its methods need no `this`. */
export interface Reporter {
  /** The last failed request or failure of storage. */
  readonly lastError: TrackerStats['lastError'];
  /**
   * Adds a listener. While it runs, it is not called for events that it causes itself. If it throws or rejects, this stops neither
   * the others nor the caller, and is told once. Returns a function that removes it.
   */
  on<Name extends keyof TrackerEvents>(
    event: Name,
    listener: (detail: TrackerEvents[Name]) => void,
  ): () => void;
  /** Emits something that changes no counts. */
  emit<Name extends keyof TrackerEvents>(event: Name, detail: TrackerEvents[Name]): void;
  /** Tells all but the listeners. */
  tell(event: string, detail: object): void;
  /** Counts and emits the end of events. Emits nothing for dead letters: the code that keeps a letter emits more details. */
  settled(fate: Fate, count: number): void;
  /** Accepts an event that is dropped at once. */
  dropped(reason: DropReason): void;
  /**
   * @param cause An InvalidEventError, or what the payload threw while it was serialised.
   * @param event Its name, if it has one.
   */
  invalid(cause: unknown, event?: unknown): void;
  /** Counts and emits events that are pending, but not from `track()`: found in storage, or replayed dead letters. */
  recovered(event: 'recovered' | 'replayed', count: number): void;
  requestFailed(error: TrackerEvents['requestFailed']['error']): void;
  storageFailed(cause: unknown): void;
  /** Sets the kind of journal that keeps events now. Emits `storageChanged` if the kind has changed. */
  journal(kind: string): void;
  /** User code failed. Emits `callbackFailed` once for each callback. */
  callbackFailed(callback: string, cause: unknown): void;
}

export function createReporter(options: ReporterOptions): Reporter {
  const { books, clock, tells } = options;
  const listeners = new Set<Listener>();
  const failedCallbacks = new Set<string>();
  let kind: string | undefined;
  let lastError: TrackerStats['lastError'];

  function emit<Name extends keyof TrackerEvents>(event: Name, detail: TrackerEvents[Name]): void {
    // A copy: a listener that is added in this loop is not called for this event.
    for (const listener of [...listeners])
      if (listener.event === event && listeners.has(listener)) listener.call(detail);
    tell(event, detail);
  }

  function tell(event: string, detail: object): void {
    // Tests replace the console by one that throws.
    for (const told of tells ?? []) tried(() => told(event, detail));
  }

  /** Emits later, not now: the failure may be anywhere, even before a listener can be added. */
  function raise(callback: string, cause: unknown): void {
    const error = errorOf(cause);
    queueMicrotask(() => emit('callbackFailed', { callback, error }));
  }

  function settled(fate: Fate, count: number): void {
    if (count === 0) return;
    if (fate === 'delivered') {
      books.delivered += count;
      emit('delivered', { count });
    } else if (fate === 'deadLettered') books.deadLettered += count;
    else {
      books.dropped[fate] += count;
      emit('dropped', { reason: fate, count });
    }
  }

  function keep({ message }: Error): void {
    lastError = { at: clock.now(), message };
  }

  return {
    get lastError() {
      return lastError;
    },
    on(event, listener) {
      let hasFailed = false;
      let isCalled = false;
      const failed = (error: unknown) => {
        if (!hasFailed) raise(`listener of ${event}`, error);
        hasFailed = true;
      };
      // A function that is added twice is two listeners, and each is removed by its own return value.
      const entry = {
        event,
        call(detail: Parameters<typeof listener>[0]) {
          if (isCalled) return;
          isCalled = true;
          attempt(() => listener(detail), failed);
          isCalled = false;
        },
      };
      listeners.add(entry);
      return () => listeners.delete(entry);
    },
    emit,
    tell,
    settled,
    dropped(reason) {
      books.accepted += 1;
      settled(reason, 1);
    },
    invalid(cause, event) {
      const error = isThrown(cause, InvalidEventError)
        ? cause
        : new InvalidEventError('payload', `payload cannot be made JSON: ${reasonOf(cause)}`, { cause });
      books.invalid += 1;
      // It may be frozen, if a payload threw it.
      if (typeof event === 'string') Reflect.set(error, 'event', event);
      emit('invalid', { error });
    },
    recovered(event, count) {
      books.recovered += count;
      emit(event, { count });
    },
    requestFailed(error) {
      keep(error);
      emit('requestFailed', { error });
    },
    storageFailed(cause) {
      const error = isThrown(cause, StorageError) ? cause : storageError('storage failed', cause);
      keep(error);
      emit('storageFailed', { error });
    },
    journal(next) {
      const isChange = kind !== undefined && kind !== next;
      kind = next;
      if (isChange) emit('storageChanged', { kind });
    },
    callbackFailed(callback, cause) {
      if (failedCallbacks.has(callback)) return;
      failedCallbacks.add(callback);
      raise(callback, cause);
    },
  };
}
