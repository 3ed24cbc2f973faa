import { endpoint } from '@sluice/protocol';
import type { Clock } from '@sluice/protocol/toolbox';
import { platform } from '#platform';
import type { EventTexts } from './accept/event-text.ts';
import { LEASE_MS, type Sharing } from './keep/journal.ts';
import type { Guarded } from './options/callbacks.ts';
import type { Settings } from './options/settings.ts';
import { Gate } from './pace/gate.ts';
import type { Limits } from './pace/limits.ts';
import type { SharedPause } from './pace/shared-pause.ts';
import { createDelivery } from './send/delivery.ts';
import { Evidence } from './send/evidence.ts';
import type { Transport } from './send/http/transport.ts';
import type { LetterStore } from './send/letterbox.ts';
import { Letterbox } from './send/letterbox.ts';
import { Requests } from './send/requests.ts';
import { SendTurn } from './send/send-turn.ts';
import { Sender } from './send/sender.ts';
import { Trials } from './send/trials.ts';
import type { Waiting } from './send/waiting.ts';
import type { Books } from './tell/books.ts';
import type { Reporter } from './tell/reporter.ts';
import type { TrackerStats } from './tell/stats.ts';

/** The gate limits the requests. A page that is left may make some more. */
const QUEUED = 2;

interface DispatchOptions {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly random: () => number;
  readonly hooked: Pick<Guarded, 'destination' | 'headersOf' | 'rejected' | 'safeCause'>;
  readonly texts: Pick<EventTexts, 'offset'>;
  readonly transport: Transport;
  /** Undefined if no other tabs share the journal. */
  readonly sharing: Sharing | undefined;
  readonly waiting: Waiting;
  readonly books: Books;
  readonly letters: Pick<LetterStore, 'keep'>;
  readonly limits: Limits;
  readonly reporter: Reporter;
}

/** Everything between a parcel and the service: sends requests, decides when, and learns from the answers. */
export class Dispatch {
  readonly #abort: AbortController = platform.createAbortController();
  readonly #gate: Gate;
  readonly #requests: Requests;
  readonly #letterbox: Letterbox;
  readonly #trials: Trials;
  readonly #limits: Limits;
  readonly #sender: Sender;

  constructor(options: DispatchOptions) {
    const { books, clock, hooked, letters, limits, random, reporter } = options;
    const { settings, sharing, texts, transport, waiting } = options;
    const { destination, headersOf, rejected, safeCause } = hooked;
    const { advanced, apiKey, baseUrl, compress } = settings;
    const timing = settings.delivery;
    const { createQueue, lifecycle, registerSync } = platform;
    const { signal } = this.#abort;
    const backoff = { baseMs: timing.retryBaseMs, maxMs: timing.retryMaxMs };
    const url = endpoint(baseUrl, destination.path);
    const isStrict = settings.ordering === 'strict';
    const isOrdered = settings.lanes !== undefined;
    const maxConcurrency = isStrict ? 1 : timing.maxConcurrency;
    const wake = () => this.wake();
    const gate = new Gate({
      backoff,
      clock,
      concurrency: platform.createConcurrency(maxConcurrency),
      random,
      reporter,
      rests: lifecycle.isHidden,
      rate: limits.rate,
      onBack: () => trials.resume(),
      onChange: (state) => {
        if (state === 'open') registerSync?.();
        if (state === 'closed') waiting.leaveToJournal();
        void wake();
      },
    });
    const requests = new Requests({
      apiKey,
      clock,
      destination,
      compression: compress ? settings.parts.gzip?.(clock) : undefined,
      headers: timing.headers,
      headersOf,
      redactor: platform.redactor,
      reporter,
      safeCause,
      signal,
      timeouts: {
        totalMs: timing.timeoutMs,
        connectMs: advanced.connectTimeoutMs,
        headersMs: advanced.headersTimeoutMs,
        bodyMs: advanced.bodyTimeoutMs,
      },
      transport,
      url,
    });
    const letterbox = new Letterbox({ clock, letters, reporter, waiting });
    const turn = sharing && new SendTurn({ clock, gate, reporter, sharing, signal, waiting, wake });
    const trials = new Trials({ clock, isOrdered, isStrict, limit: limits.events, waiting });
    const queue = createQueue(QUEUED * maxConcurrency);
    const evidence = new Evidence();
    const deliver = createDelivery({
      backoff,
      books,
      clock,
      evidence,
      gate,
      isOrdered,
      isStrict,
      letterbox,
      limits,
      maxTries: timing.maxTries,
      offset: texts.offset,
      policy: settings.delivery.policy,
      random,
      rejected,
      reporter,
      requests,
      signal,
      trials,
      url,
      waiting,
    });
    this.#sender = new Sender({
      clock,
      deliver,
      evidence,
      gate,
      isOrdered,
      isStrict,
      leaseMs: Math.max(LEASE_MS, advanced.headersTimeoutMs),
      queue,
      registerSync,
      reporter,
      requests,
      sharing,
      signal,
      trials,
      turn,
      waiting,
    });
    this.#gate = gate;
    this.#requests = requests;
    this.#letterbox = letterbox;
    this.#trials = trials;
    this.#limits = limits;
  }

  get stats(): Pick<
    TrackerStats,
    'breaker' | 'pause' | 'suspects' | 'rateLimit' | 'bodyLimit' | 'batchLimit' | 'requests'
  > {
    return {
      breaker: this.#gate.state,
      pause: this.#gate.pause,
      suspects: this.#trials.shown,
      ...this.#limits.stats,
      requests: this.#requests.stats,
    };
  }

  /** Call this when there may be events to send. Resolves once they are being sent, or nothing more can be sent. */
  wake(): Promise<void> {
    return this.#sender.wake();
  }

  /**
   * The page may be gone soon: takes as many events as requests that outlive the page can send. Returns a function that makes
   * these requests before it returns. Give all other events to the journal first.
   *
   * @param isKept Whether to send nothing.
   */
  leave(isLeft: boolean, isKept: boolean): () => void {
    return this.#sender.leave(isLeft, isKept);
  }

  /** The page is back. */
  show(): void {
    this.#gate.catchUp();
    // The network may have come back meanwhile.
    this.online();
  }

  /** Previous processes ended before they saw an answer: requests wait. */
  pause(pause: SharedPause): void {
    this.#gate.share(pause);
  }

  /** The network may be back. */
  online(): void {
    if (this.#gate.hint()) this.#trials.hurry();
    void this.wake();
  }

  /** The network may be gone. */
  offline(): void {
    this.#gate.doubt();
  }

  /** Removes the API key, and the keys that it replaced lately, from a text. */
  redact(text: string): string {
    return this.#requests.redact(text);
  }

  /** Later requests carry this key. If it is another one, they are made at once. */
  setApiKey(apiKey: string): void {
    if (this.#requests.setApiKey(apiKey)) this.retryNow();
  }

  /** Ends all waits. */
  retryNow(): void {
    if (this.#abort.signal.aborted) return;
    this.#trials.due(Number.POSITIVE_INFINITY);
    this.#gate.resume();
    void this.wake();
  }

  /** Resolves when the work ends, or as soon as no event can make progress before `until`, in milliseconds since 1970. */
  whileUseful(work: Promise<void>, until: number): Promise<void> {
    return this.#sender.whileUseful(work, until);
  }

  /** Aborts pending requests, without waiting for answers. */
  async stop(): Promise<void> {
    this.#gate.stop();
    this.#letterbox.stop();
    this.#abort.abort();
    await this.#sender.stop();
  }
}
