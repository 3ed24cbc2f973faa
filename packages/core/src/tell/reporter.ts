import { InvalidEventError } from '@sluice/protocol';
import type { Clock } from '../base/clock.ts';
import { StorageError, storageError } from '../base/errors/storage-error.ts';
import type { Fate } from '../base/fate.ts';
import { errorOf, isThrown, reasonOf } from '../base/reason.ts';
import type { Books } from './books.ts';
import { Emitter } from './emitter.ts';
import type { TrackerStats } from './stats.ts';
import type { TrackerEvents } from './tracker-events.ts';

type Listener<Name extends keyof TrackerEvents> = (detail: TrackerEvents[Name]) => void;

export interface ReporterOptions {
  readonly books: Books;
  readonly clock: Clock;
  /** Tells those of the process who listen to all trackers. Left out where nobody can. */
  readonly publish?: ((event: keyof TrackerEvents, detail: object) => void) | undefined;
  /** Writes to the application's logger. Left out where it has none. */
  readonly log?: { tell(event: keyof TrackerEvents, detail: object): void } | undefined;
}

/** Raises what happens; where it is the end of an event, or a new one, books it first. */
export class Reporter {
  readonly #options: ReporterOptions;
  readonly #emitter: Emitter<TrackerEvents>;
  readonly #failedHooks = new Set<string>();
  #journal: string | undefined;
  #lastError: TrackerStats['lastError'];

  constructor(options: ReporterOptions) {
    this.#options = options;
    this.#emitter = new Emitter((error, event) => this.#raise(`listener of ${event}`, error));
  }

  /** The last failed request or failure of storage. */
  get lastError(): TrackerStats['lastError'] {
    return this.#lastError;
  }

  on<Name extends keyof TrackerEvents>(event: Name, listener: Listener<Name>): () => void {
    return this.#emitter.on(event, listener);
  }

  /** Raises what needs no books. */
  emit<Name extends keyof TrackerEvents>(event: Name, detail: TrackerEvents[Name]): void {
    const { publish, log } = this.#options;
    this.#emitter.emit(event, detail);
    publish?.(event, detail);
    log?.tell(event, detail);
  }

  /** Events, if there are any, have met their end. Of dead letters it raises nothing: whoever keeps one says more of it. */
  settled(fate: Fate, count: number): void {
    const { books } = this.#options;
    if (count === 0) return;
    if (fate === 'delivered') {
      books.delivered += count;
      this.emit('delivered', { count });
    } else if (fate === 'deadLettered') books.deadLettered += count;
    else {
      books.dropped[fate] += count;
      this.emit('dropped', { reason: fate, count });
    }
  }

  /** @param cause An InvalidEventError, or whatever the payload threw while it was made JSON. */
  invalid(cause: unknown): void {
    const error = isThrown(cause, InvalidEventError)
      ? cause
      : new InvalidEventError('payload', `payload cannot be made JSON: ${reasonOf(cause)}`, { cause });
    this.#options.books.invalid += 1;
    this.emit('invalid', { error });
  }

  /** Events wait that `track()` did not take in this life. */
  recovered(event: 'recovered' | 'replayed', count: number): void {
    this.#options.books.recovered += count;
    this.emit(event, { count });
  }

  failedAttempt(error: TrackerEvents['failedAttempt']['error']): void {
    this.#keep(error);
    this.emit('failedAttempt', { error });
  }

  /** Can be passed on as it is. */
  readonly storageFailed = (cause: unknown): void => {
    const error = isThrown(cause, StorageError) ? cause : storageError('storage failed', cause);
    this.#keep(error);
    this.emit('storageFailed', { error });
  };

  /** Events are kept in this kind of journal now. */
  journal(kind: string): void {
    const isChange = this.#journal !== undefined && this.#journal !== kind;
    this.#journal = kind;
    if (isChange) this.emit('journal', { kind });
  }

  /** Code of the user's failed. Raised once for each. */
  hookFailed(hook: string, cause: unknown): void {
    if (this.#failedHooks.has(hook)) return;
    this.#failedHooks.add(hook);
    this.#raise(hook, cause);
  }

  /** Not at once: that may be anywhere, and before anybody can listen. */
  #raise(hook: string, cause: unknown): void {
    const error = errorOf(cause);
    queueMicrotask(() => this.emit('hookFailed', { hook, error }));
  }

  #keep({ message }: Error): void {
    this.#lastError = { at: this.#options.clock.now(), message };
  }
}
