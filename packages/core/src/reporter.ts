import { InvalidEventError, type Redact } from '@sluice/protocol';
import type { Books, DropReason } from './books.ts';
import type { Clock } from './clock.ts';
import { Emitter } from './emitter.ts';
import { StorageError, storageError } from './errors/storage-error.ts';
import { Log, type Logger } from './logger.ts';
import { errorOf, isThrown, reasonOf } from './reason.ts';
import type { Pause, TrackerStats } from './stats.ts';
import type { TrackerEvents } from './tracker-events.ts';

type Listener<Name extends keyof TrackerEvents> = (detail: TrackerEvents[Name]) => void;

export interface ReporterOptions {
  readonly books: Books;
  readonly logger: Logger | undefined;
  readonly clock: Clock;
  /** Takes the key out of what is logged. */
  readonly redact: Redact;
  /** Tells those of the process who listen to all trackers. Left out where nobody can. */
  readonly publish?: ((event: keyof TrackerEvents, detail: object) => void) | undefined;
}

/** Raises what happens and logs it; where it is the end of an event, books it first. */
export class Reporter {
  readonly #options: ReporterOptions;
  readonly #logger: Log | undefined;
  readonly #emitter: Emitter<TrackerEvents>;
  readonly #failedHooks = new Set<string>();
  #journal: string | undefined;
  #lastError: TrackerStats['lastError'];

  constructor(options: ReporterOptions) {
    const { logger, clock, redact } = options;
    this.#options = options;
    this.#emitter = new Emitter((error, event) => this.#raise(`listener of ${event}`, error));
    const onFailed = (error: unknown) => this.hookFailed('logger', error);
    this.#logger = logger && new Log({ logger, clock, redact, onFailed });
  }

  /** The last failed request or failure of storage. */
  get lastError(): TrackerStats['lastError'] {
    return this.#lastError;
  }

  on<Name extends keyof TrackerEvents>(event: Name, listener: Listener<Name>): () => void {
    return this.#emitter.on(event, listener);
  }

  delivered(count: number): void {
    this.#emit('delivered', { count });
  }

  deadLettered(status: number, excerpt: string): void {
    this.#emit('deadLettered', { count: 1, status, excerpt });
    this.#logger?.warn({ status, excerpt }, 'the service refused an event; it is kept as a dead letter');
  }

  dropped(reason: DropReason, count: number): void {
    this.#options.books.dropped[reason] += count;
    this.#emit('dropped', { reason, count });
    this.#logger?.warn({ reason, count }, `events were dropped: ${reason}`);
  }

  /** @param cause An InvalidEventError, or whatever the payload threw while it was made JSON. */
  invalid(cause: unknown): void {
    const error = isThrown(cause, InvalidEventError)
      ? cause
      : new InvalidEventError('payload', `payload cannot be made JSON: ${reasonOf(cause)}`, { cause });
    this.#options.books.invalid += 1;
    this.#emit('invalid', { error });
    this.#logger?.warn({ field: error.field, err: error }, 'an event cannot be sent');
  }

  recovered(count: number): void {
    this.#options.books.recovered += count;
    this.#emit('recovered', { count });
    this.#logger?.info({ count }, 'events of an earlier life were found');
  }

  replayed(count: number): void {
    this.#options.books.recovered += count;
    this.#emit('replayed', { count });
    this.#logger?.info({ count }, 'dead letters are sent again');
  }

  deadLettersDropped(reason: 'full' | 'expired', count: number): void {
    this.#emit('deadLettersDropped', { reason, count });
    this.#logger?.warn({ reason, count }, 'dead letters were dropped');
  }

  damaged(place: string, bytes: number): void {
    this.#emit('damaged', { place, bytes });
    this.#logger?.warn({ place, bytes }, 'the journal is damaged; what is intact is delivered');
  }

  failedAttempt(error: TrackerEvents['failedAttempt']['error']): void {
    this.#keep(error);
    this.#emit('failedAttempt', { error });
    const { status } = error;
    const message = status === undefined ? 'no answer came' : `the service answered ${status}`;
    this.#logger?.debug({ status, err: error }, message);
  }

  storageFailed(cause: unknown): void {
    const error = isThrown(cause, StorageError) ? cause : storageError('storage failed', cause);
    this.#keep(error);
    this.#emit('storageFailed', { error });
    this.#logger?.error({ err: error }, 'storage failed');
  }

  breaker(state: TrackerEvents['breaker']['state']): void {
    this.#emit('breaker', { state });
    this.#logger?.info({ state }, `the breaker is ${state}`);
  }

  paused(pause: Pause): void {
    this.#emit('paused', pause);
    this.#logger?.error({ ...pause }, ADVICE[pause.reason]);
  }

  resumed(): void {
    this.#emit('resumed', {});
    this.#logger?.info({}, 'the service takes events again');
  }

  rateLimit(perSecond: number | undefined): void {
    this.#emit('rateLimit', { perSecond });
    this.#logger?.info({ perSecond }, 'the rate of requests follows what the service bears');
  }

  bodyLimit(bytes: number): void {
    this.#emit('bodyLimit', { bytes });
    this.#logger?.info({ bytes }, 'the size of bodies follows what the service takes');
  }

  /** Events are kept in this kind of journal now. */
  journal(kind: string): void {
    const isChange = this.#journal !== undefined && this.#journal !== kind;
    this.#journal = kind;
    if (!isChange) return;
    this.#emit('journal', { kind });
    this.#logger?.warn({ kind }, `events are kept elsewhere: ${kind}`);
  }

  /** Code of the user's failed. Raised once for each. */
  hookFailed(hook: string, cause: unknown): void {
    if (this.#failedHooks.has(hook)) return;
    this.#failedHooks.add(hook);
    this.#raise(hook, cause);
  }

  #emit<Name extends keyof TrackerEvents>(event: Name, detail: TrackerEvents[Name]): void {
    this.#emitter.emit(event, detail);
    this.#options.publish?.(event, detail);
  }

  /** Not at once: that may be anywhere, and before anybody can listen. */
  #raise(hook: string, cause: unknown): void {
    const error = errorOf(cause);
    queueMicrotask(() => {
      this.#emit('hookFailed', { hook, error });
      this.#logger?.error({ hook, err: error }, `code of the application failed: ${hook}`);
    });
  }

  #keep({ message }: Error): void {
    this.#lastError = { at: this.#options.clock.now(), message };
  }
}

/** What to do about a pause. */
const ADVICE: Readonly<Record<Pause['reason'], string>> = {
  unauthorized: 'the service does not take the API key; all events are kept: give a good one to setApiKey()',
  misdirected: 'the address is not that of the service; all events are kept: look at baseUrl',
  refused: 'the service refuses most events; the others are kept: look at what it answers',
  policy: 'delivery.policy pauses on this answer; all events are kept',
};
