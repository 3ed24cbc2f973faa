import { platform } from '#platform';
import type { EventTexts } from './accept/event-text.ts';
import type { Journal } from './keep/journal.ts';
import type { Guarded } from './options/callbacks.ts';
import type { Settings } from './options/settings.ts';
import { AdaptiveConcurrency } from './pace/adaptive-concurrency.ts';
import { createBreaker } from './pace/breaker.ts';
import { Gate } from './pace/gate.ts';
import type { LetterArchive } from './parts/dead-letters/letter-archive.ts';
import { createBlame } from './send/blame.ts';
import { createDelivery } from './send/delivery.ts';
import type { Transport } from './send/http/transport.ts';
import type { Limits } from './send/limits.ts';
import { createRequests, type Requests } from './send/requests.ts';
import { createSender, type Sender } from './send/sender.ts';
import { Trials } from './send/trials.ts';
import type { Books } from './tell/books.ts';
import type { Reporter } from './tell/reporter.ts';
import type { TrackerStats } from './tell/stats.ts';
import type { Waiting } from './wait/waiting.ts';

/** The gate limits the requests. Probes come on top of those that hang. */
const QUEUED = 2;

interface DispatchOptions {
  readonly settings: Settings;
  readonly hooked: Pick<Guarded, 'destination' | 'headers' | 'rejected' | 'safeCause'>;
  readonly texts: Pick<EventTexts, 'offset'>;
  readonly transport: Transport;
  readonly sharing: Journal['sharing'];
  readonly waiting: Waiting;
  readonly books: Books;
  readonly letters: Pick<LetterArchive, 'keep'>;
  readonly limits: Limits;
  readonly reporter: Reporter;
}

/** Everything between a parcel and the service: decides when to make requests, makes them, and learns from the answers. */
interface Dispatch extends Sender, Pick<Requests, 'redact'> {
  readonly stats: Pick<
    TrackerStats,
    'breaker' | 'pause' | 'suspects' | 'rateLimit' | 'bodyLimit' | 'batchLimit' | 'requests'
  >;
  show(): void;
  /** Earlier processes ended before they saw an answer: nothing is sent before this time, in milliseconds since 1970. */
  pause(until: number, failures: number): void;
  online(): void;
  offline(): void;
  /** Later requests carry this key. If it is another one, they are made at once. */
  setApiKey(apiKey: string): void;
  retryNow(): void;
  /** Aborts pending requests, without waiting for answers. */
  stop(): Promise<void>;
}

export function createDispatch(options: DispatchOptions): Dispatch {
  const { books, hooked, letters, limits, reporter, settings, sharing, texts, transport, waiting } = options;
  const { clock, delivery: timing, isOrdered, random } = settings;
  const { createQueue, lifecycle, redactor } = platform;
  const abort = platform.createAbortController();
  const { signal } = abort;
  const backoff = { baseMs: timing.retryBaseMs, maxMs: timing.retryMaxMs };
  const isStrict = settings.ordering === 'strict';
  const maxConcurrency = isStrict ? 1 : timing.maxConcurrency;
  const wake = () => void sender.wake();
  const concurrency = new AdaptiveConcurrency(Math.min(maxConcurrency, platform.mostRequests));
  const rests = lifecycle.isHidden ?? (() => false);
  const breaker = createBreaker(clock, random, backoff, reporter, rests, (state) => {
    if (state === 'closed') waiting.leaveToJournal();
    wake();
  });
  const gate = new Gate(clock, breaker, concurrency, (now) => limits.rate?.waitMs(now) ?? 0, wake);
  const requests = createRequests({ clock, hooked, redactor, reporter, settings, signal, transport });
  const blame = createBlame(clock, isStrict, true);
  const trials = new Trials({ blame, clock, isOrdered, isStrict, limits, waiting });
  const stages = { blame, breaker, clock, concurrency, gate, limits, reporter, signal, trials, waiting };
  const deliver = createDelivery({
    ...stages,
    books,
    letters,
    offset: texts.offset,
    random,
    rejected: hooked.rejected,
    releasesBodies: transport.releasesBody === true && !settings.compress,
    requests,
    settings,
  });
  const queue = createQueue(QUEUED * maxConcurrency);
  const sender = createSender({ ...stages, deliver, isOrdered, isStrict, queue, sharing });

  function online(): void {
    if (breaker.hint()) trials.hurry();
    wake();
  }

  function retryNow(): void {
    if (signal.aborted) return;
    trials.due(Number.POSITIVE_INFINITY);
    gate.resume();
    wake();
  }

  return {
    ...sender,
    get stats() {
      const { state, pause } = breaker;
      return { breaker: state, pause, suspects: trials.shown, ...limits.stats, requests: requests.stats };
    },
    show() {
      gate.catchUp();
      // The network may have come back meanwhile.
      online();
    },
    // The pause itself counts as one more.
    pause: (until, failures) => breaker.share([until, failures + 1, 0], false),
    online,
    offline: () => breaker.doubt(1),
    redact: requests.redact,
    setApiKey(key) {
      if (requests.setApiKey(key)) retryNow();
    },
    retryNow,
    async stop() {
      breaker.stop();
      gate.stop();
      abort.abort();
      await sender.stop();
    },
  };
}
