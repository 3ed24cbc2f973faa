import { EVENTS_PATH, endpoint } from '@sluice/protocol';
import { platform } from '#platform';
import type { Clock } from './base/clock.ts';
import type { Journal } from './keep/journal.ts';
import type { Hooked } from './options/hooks.ts';
import type { Settings } from './options/settings.ts';
import { Gate } from './pace/gate.ts';
import type { SizeLimit } from './pace/size-limit.ts';
import { Verdicts } from './pace/verdicts.ts';
import { Evidence } from './send/evidence.ts';
import type { Transport } from './send/http/transport.ts';
import type { LetterStore } from './send/letter-store.ts';
import { Letterbox } from './send/letterbox.ts';
import { Requests } from './send/requests.ts';
import { Sender } from './send/sender.ts';
import type { Books } from './tell/books.ts';
import type { Reporter } from './tell/reporter.ts';
import type { TrackerStats } from './tell/stats.ts';
import type { Lanes } from './wait/lanes.ts';

/** When the service is back, this many batches of waiting events stay in memory. The rest is left to the journal. */
const FRESH_BATCHES = 2;

export interface DispatchOptions extends Pick<Hooked, 'headersOf' | 'rejected' | 'safeCause'> {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly random: () => number;
  readonly transport: Transport;
  readonly journal: Journal;
  readonly lanes: Lanes;
  readonly books: Books;
  readonly letters: Pick<LetterStore, 'keep'>;
  readonly sizeLimit: SizeLimit;
  readonly reporter: Reporter;
  /** Whether the journal has reported what previous processes left. Call `wake()` when it has. */
  readonly isOpened: () => boolean;
  /** As in `SenderOptions`. */
  readonly isDenied?: () => boolean;
}

/** Everything between a batch and the service: sends requests, decides when, and learns from the answers. */
export class Dispatch {
  readonly #gate: Gate;
  readonly #requests: Requests;
  readonly #letterbox: Letterbox;
  readonly #sizeLimit: SizeLimit;
  readonly #sender: Sender;

  constructor({ settings, isOpened, ...given }: DispatchOptions) {
    const { baseUrl, apiKey, batch, compress, delivery } = settings;
    const isStrict = settings.ordering === 'strict';
    const { createAbortController, createQueue, registerSync } = platform;
    const parts = {
      ...{ ...delivery, ...given, isStrict, createAbortController, createQueue, registerSync },
      policy: { ...delivery.policy },
      concurrency: isStrict ? 1 : delivery.concurrency,
      backoff: { baseMs: delivery.retryBaseMs, maxMs: delivery.retryMaxMs },
      letterbox: new Letterbox(given.clock),
      verdicts: new Verdicts(),
      evidence: new Evidence(given.random),
      abort: createAbortController(),
    };
    this.#letterbox = parts.letterbox;
    this.#sizeLimit = parts.sizeLimit;
    this.#gate = new Gate({
      ...parts,
      rests: platform.lifecycle.isHidden,
      onChange: (state) => {
        if (state === 'open') registerSync?.();
        // Events that waited for the service must not delay new events.
        if (state === 'closed' && !isStrict)
          for (const { backlog } of parts.lanes.all) backlog.leaveToJournal(FRESH_BATCHES * batch.maxEvents);
        void this.wake();
      },
    });
    this.#requests = new Requests({
      ...{ ...parts, apiKey, signal: parts.abort.signal },
      url: endpoint(baseUrl, EVENTS_PATH),
      timeouts: {
        totalMs: delivery.timeoutMs,
        connectMs: delivery.connectTimeoutMs,
        headersMs: delivery.headersTimeoutMs,
        bodyMs: delivery.bodyTimeoutMs,
      },
      compression: compress ? settings.parts.gzip?.(parts.clock) : undefined,
    });
    this.#sender = new Sender({
      ...{ ...parts, gate: this.#gate, requests: this.#requests },
      isReady: () => !isStrict || isOpened(),
    });
  }

  get stats(): Pick<TrackerStats, 'breaker' | 'pause' | 'rateLimit' | 'bodyLimit' | 'requests'> {
    const { bytes } = this.#sizeLimit;
    return {
      breaker: this.#gate.state,
      pause: this.#gate.pause,
      rateLimit: this.#gate.perSecond,
      bodyLimit: Number.isFinite(bytes) ? bytes : undefined,
      requests: this.#requests.stats,
    };
  }

  /** Call this when there may be events to send. Resolves once they are being sent, or nothing more can be sent. */
  wake(): Promise<void> {
    return this.#sender.wake();
  }

  /**
   * The page may be gone soon. Before this returns, `write` gives all events to the journal, and requests that outlive the page
   * send as many of them as they can.
   */
  leave(isLeft: boolean, write: () => void): void {
    this.#sender.leave(isLeft, write);
  }

  /** The page is back. */
  show(): void {
    this.#gate.catchUp();
    // The network may have come back meanwhile.
    this.online();
  }

  /** The network may be back. */
  online(): void {
    this.#gate.hint();
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

  /** Later requests carry this key. If requests are paused, one is made at once. */
  setApiKey(apiKey: string): void {
    if (this.#requests.setApiKey(apiKey)) this.#gate.resume();
  }

  /** Resolves when the work ends, or as soon as no event can make progress before `until`, in milliseconds since 1970. */
  whileUseful(work: Promise<void>, until: number): Promise<void> {
    return this.#gate.whileUseful(work, until);
  }

  /** Aborts pending requests, without waiting for answers. */
  async stop(): Promise<void> {
    this.#gate.stop();
    this.#letterbox.stop();
    await this.#sender.stop();
  }
}
