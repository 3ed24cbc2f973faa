import { InvalidEventError } from '@sluice/protocol';
import type { Books, DropReason } from './books.ts';
import { Emitter } from './emitter.ts';
import { StorageError, storageError } from './errors/storage-error.ts';
import type { Logger } from './logger.ts';
import { reasonOf } from './reason.ts';
import type { TrackerEvents } from './tracker-events.ts';

type Listener<Name extends keyof TrackerEvents> = (detail: TrackerEvents[Name]) => void;

/** Raises what happens and logs it; where it is the end of an event, books it first. */
export class Reporter {
  readonly #books: Books;
  readonly #logger: Logger | undefined;
  readonly #emitter: Emitter<TrackerEvents>;

  constructor(books: Books, logger: Logger | undefined) {
    this.#books = books;
    this.#logger = logger;
    this.#emitter = new Emitter((error, event) => logger?.error({ error, event }, 'a listener threw'));
  }

  on<Name extends keyof TrackerEvents>(event: Name, listener: Listener<Name>): () => void {
    return this.#emitter.on(event, listener);
  }

  delivered(count: number): void {
    this.#emitter.emit('delivered', { count });
  }

  deadLettered(status: number, excerpt: string): void {
    this.#emitter.emit('deadLettered', { count: 1, status, excerpt });
    this.#logger?.warn({ status, excerpt }, 'the service refused an event; it is kept as a dead letter');
  }

  dropped(reason: DropReason, count: number): void {
    this.#books.dropped[reason] += count;
    this.#emitter.emit('dropped', { reason, count });
    this.#logger?.warn({ reason, count }, 'events were dropped');
  }

  /** @param cause An InvalidEventError, or whatever the payload threw while it was made JSON. */
  invalid(cause: unknown): void {
    const error =
      cause instanceof InvalidEventError
        ? cause
        : new InvalidEventError('payload', `payload cannot be made JSON: ${reasonOf(cause)}`, { cause });
    this.#books.invalid += 1;
    this.#emitter.emit('invalid', { error });
    this.#logger?.warn({ field: error.field }, error.message);
  }

  recovered(count: number): void {
    this.#books.recovered += count;
    this.#emitter.emit('recovered', { count });
    this.#logger?.info({ count }, 'events of an earlier life were found');
  }

  damaged(place: string, bytes: number): void {
    this.#emitter.emit('damaged', { place, bytes });
    this.#logger?.warn({ place, bytes }, 'the journal is damaged; what is intact is delivered');
  }

  failedAttempt(error: TrackerEvents['failedAttempt']['error']): void {
    this.#emitter.emit('failedAttempt', { error });
    this.#logger?.debug({ error }, error.message);
  }

  storageFailed(cause: unknown): void {
    const error = cause instanceof StorageError ? cause : storageError('storage failed', cause);
    this.#emitter.emit('storageFailed', { error });
    this.#logger?.error({ error }, error.message);
  }

  breaker(state: TrackerEvents['breaker']['state']): void {
    this.#emitter.emit('breaker', { state });
    this.#logger?.info({ state }, 'the breaker changed');
  }
}
