import { endpoint } from '@sluice/protocol';
import type { Clock } from '@sluice/protocol/toolbox';
import { platform } from '#platform';
import type { EventTexts } from './accept/event-text.ts';
import type { Journal } from './keep/journal.ts';
import type { Guarded } from './options/callbacks.ts';
import type { Settings } from './options/settings.ts';
import { createGate } from './pace/gate.ts';
import type { Limits } from './pace/limits.ts';
import { createDelivery } from './send/delivery.ts';
import { Evidence } from './send/evidence.ts';
import type { Transport } from './send/http/transport.ts';
import type { LetterStore } from './send/letterbox.ts';
import { createLetterbox } from './send/letterbox.ts';
import { Requests } from './send/requests.ts';
import { createSender, type Sender } from './send/sender.ts';
import { createTrials } from './send/trials.ts';
import type { Books } from './tell/books.ts';
import type { Reporter } from './tell/reporter.ts';
import type { TrackerStats } from './tell/stats.ts';
import type { Waiting } from './wait/waiting.ts';

/** The gate limits the requests. Probes come on top of those that hang. */
const QUEUED = 2;

interface DispatchOptions {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly random: () => number;
  readonly hooked: Pick<Guarded, 'destination' | 'headersOf' | 'rejected' | 'safeCause'>;
  readonly texts: Pick<EventTexts, 'offset'>;
  readonly transport: Transport;
  /** Undefined if nobody else sends what the journal has. */
  readonly sharing: Journal['sharing'];
  readonly waiting: Waiting;
  readonly books: Books;
  readonly letters: Pick<LetterStore, 'keep'>;
  readonly limits: Limits;
  readonly reporter: Reporter;
}

/** Everything between a parcel and the service: sends requests, decides when, and learns from the answers. */
export interface Dispatch extends Sender, Pick<Requests, 'redact'> {
  readonly stats: Pick<
    TrackerStats,
    'breaker' | 'pause' | 'suspects' | 'rateLimit' | 'bodyLimit' | 'batchLimit' | 'requests'
  >;
  /** The app is active again. */
  show(): void;
  /** Earlier processes ended before they saw an answer: nothing is sent before this time, in milliseconds since 1970. */
  pause(until: number, failures: number): void;
  /** The network may be back. */
  online(): void;
  /** The network may be gone. */
  offline(): void;
  /** Later requests carry this key. If it is another one, they are made at once. */
  setApiKey(apiKey: string): void;
  /** Ends all waits. */
  retryNow(): void;
  /** Aborts pending requests, without waiting for answers. */
  stop(): Promise<void>;
}

export function createDispatch(options: DispatchOptions): Dispatch {
  const { books, clock, hooked, letters, limits, random, reporter } = options;
  const { settings, sharing, texts, transport, waiting } = options;
  const { destination, headersOf, rejected, safeCause } = hooked;
  const { advanced, apiKey, baseUrl, compress, delivery: timing, isOrdered } = settings;
  const { createQueue, lifecycle, redactor } = platform;
  const abort = platform.createAbortController();
  const { signal } = abort;
  const backoff = { baseMs: timing.retryBaseMs, maxMs: timing.retryMaxMs };
  const url = endpoint(baseUrl, destination.path);
  const isStrict = settings.ordering === 'strict';
  const maxConcurrency = isStrict ? 1 : timing.maxConcurrency;
  const wake = () => sender.wake();
  const gate = createGate({
    backoff,
    clock,
    concurrency: platform.createConcurrency(maxConcurrency),
    random,
    reporter,
    rests: lifecycle.isHidden,
    rate: limits.rate,
    onBack: () => trials.resume(),
    onChange: (state) => {
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
    redactor,
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
  const letterbox = createLetterbox({ clock, letters, reporter, waiting });
  const trials = createTrials({ clock, isOrdered, isStrict, limit: limits.events, waiting });
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
    policy: timing.policy,
    random,
    rejected,
    reporter,
    requests,
    signal,
    trials,
    url,
    waiting,
  });
  const sender = createSender({
    clock,
    deliver,
    gate,
    isOrdered,
    isStrict,
    queue: createQueue(QUEUED * maxConcurrency),
    reporter,
    sharing,
    signal,
    trials,
    waiting,
  });

  function online(): void {
    if (gate.hint()) trials.hurry();
    void wake();
  }

  function retryNow(): void {
    if (signal.aborted) return;
    trials.due(Number.POSITIVE_INFINITY);
    gate.resume();
    void wake();
  }

  return {
    ...sender,
    get stats() {
      const { state, pause } = gate;
      return {
        breaker: state,
        pause,
        suspects: trials.shown,
        ...limits.stats,
        requests: requests.stats,
      };
    },
    show() {
      gate.catchUp();
      // The network may have come back meanwhile.
      online();
    },
    // The pause itself counts as one more.
    pause: (until, failures) => gate.share([until, failures + 1, 0], false),
    online,
    offline: () => gate.doubt(1),
    redact: (text) => requests.redact(text),
    setApiKey(key) {
      if (requests.setApiKey(key)) retryNow();
    },
    retryNow,
    async stop() {
      gate.stop();
      letterbox.stop();
      abort.abort();
      await sender.stop();
    },
  };
}
