// `await using` needs the types of this library, also where a user's tsconfig does not list it.
/// <reference lib="esnext.disposable" preserve="true" />
import { ConfigError, readApiKey } from '@sluice/protocol';
import { systemClock } from '@sluice/protocol/toolbox';
import { platform } from '#platform';
import { ClockOffset } from './accept/clock-offset.ts';
import { checkText, EventTexts, type TrackOptions } from './accept/event-text.ts';
import { UNIDENTIFIED } from './accept/unidentified.ts';
import { isThrown, reasonOf } from './base/reason.ts';
import { Deadline, finishOptions } from './deadline.ts';
import type { Consent, TrackerOptions } from './options/options.ts';
import { type Defaults, readConsent, readOptions, type Settings } from './options/settings.ts';
import type { DeadLetters } from './parts/dead-letters/dead-letters.ts';
import { missingPart } from './parts.ts';
import { Road } from './road.ts';
import type { FinishOptions, FlushReport, TrackerStats } from './tell/stats.ts';
import type { TrackerEvents } from './tell/tracker-events.ts';

const FLUSH_TIMEOUT_MS = 30_000;
const CLOSE_TIMEOUT_MS = 10_000;
/** `close()` releases its resources within this time, even if storage hangs. */
const SHUT_DOWN_MS = 5_000;
const NO_OPTIONS: TrackOptions = {};

/**
 * Makes a tracker. Synchronous: events tracked while the journal opens wait in memory.
 * Throws a ConfigError if an option is wrong, and nothing else.
 */
export function createTracker(options: TrackerOptions): Tracker {
  return createWith(options, platform);
}

/** As `createTracker`, with these defaults. @internal */
export function createWith(options: TrackerOptions, defaults: Defaults): Tracker {
  try {
    return new Tracker(readOptions(options, defaults));
  } catch (error) {
    if (isThrown(error, ConfigError)) throw error;
    throw new ConfigError('options', `options cannot be used: ${reasonOf(error)}`);
  }
}

/** Takes events, keeps them safe, delivers them. Made by `createTracker`. */
export class Tracker {
  readonly #settings: Settings;
  readonly #texts: EventTexts;
  readonly #road: Road;
  #closed: Promise<FlushReport> | undefined;
  /** Aborted after the flush of `close()`: nothing is delivered any more, so every other `flush()` ends. */
  readonly #ending = platform.createAbortController();

  /** @internal */
  constructor(settings: Settings) {
    this.#settings = settings;
    const { clock, correlationKey, keepDeviceTimestamp, source, maxEventBytes, unidentified } = settings;
    const nobody = unidentified.hold ? UNIDENTIFIED : undefined;
    // A clock of the user's own is right.
    const offset = clock
      ? undefined
      : new ClockOffset(systemClock, keepDeviceTimestamp, platform.offsetStore);
    const texts = new EventTexts(correlationKey, source, maxEventBytes, nobody, offset);
    this.#texts = texts;
    this.#road = new Road(settings, texts, () => this.flush());
  }

  /**
   * The events that the service refused for good. Read them, send them again, or delete them. A page needs the part
   * `deadLetters` for this: without the part, this throws a ConfigError, but the dead letters are kept all the same.
   */
  get deadLetters(): DeadLetters {
    return this.#road.deadLetters ?? missingPart('tracker.deadLetters', 'deadLetters');
  }

  /**
   * Accepts an event and stamps it; everything else happens later. Does no I/O and never throws. If the event cannot be sent,
   * the tracker counts it and emits `invalid`. If there is no room for it, the tracker drops it and emits `dropped`.
   *
   * @param name Name of the event.
   * @param payload Any data that JSON can hold.
   */
  track(name: string, payload?: object, options: TrackOptions = NO_OPTIONS): void {
    try {
      const at = this.#road.clock.now();
      const text = this.#texts.create(name, payload, options, at);
      const { customer, isUnidentified } = this.#texts;
      this.#road.accept(text, at, options.priority === 'high', isUnidentified, customer);
    } catch (error) {
      this.#road.reporter.invalid(error);
    }
  }

  /**
   * Sets the user of later events that name none themselves. In a page that holds events without a user, this holds in all tabs.
   * Like `track()`, it never throws: it emits `invalid`.
   */
  identify(correlationValue: string): void {
    try {
      checkText('correlationValue', correlationValue, this.#settings.maxEventBytes);
      this.#setCustomer(correlationValue);
    } catch (error) {
      this.#road.reporter.invalid(error);
    }
  }

  /**
   * Call this when the customer signs out. Later events belong to nobody until `identify()` is called again. In a page that holds
   * events without a user, this holds in all tabs. Held events that were never identified are dropped. Never throws. Once `durable()` resolves, the next process or page knows it too.
   */
  reset(): void {
    this.#setCustomer(undefined);
  }

  /**
   * Sets whether Sluice may keep and send events from now on. `pending`: new events stay in memory. `granted`: waiting events
   * continue. `denied`: new, waiting and stored events are dropped; a pending request goes on, but is not retried. Throws a
   * ConfigError for any other value.
   *
   * Pages: a denial is stored, and holds for this account in all pages of the origin, those opened later too. Only
   * `setConsent('granted')` in one of them lifts it, for all; the option `consent` does not.
   */
  setConsent(consent: Consent): void {
    const read = readConsent(consent);
    if (!this.#closed) this.#road.setConsent(read);
  }

  /**
   * Later requests carry this key. If requests are paused, one is made at once to test the key. The journal stays where it is.
   * Throws a ConfigError if it is not a key.
   */
  setApiKey(apiKey: string): void {
    this.#road.dispatch.setApiKey(readApiKey(apiKey));
  }

  /**
   * Sends waiting events at once: ends a pause, the wait of an open breaker, and the waits of events that failed, suspects
   * included. Does nothing while consent is denied, or once the tracker is closed.
   */
  retryNow(): void {
    this.#road.dispatch.retryNow();
  }

  /**
   * Resolves once all events tracked before are durable: the journal has them, and they are synced unless `fsync` is `never`.
   * Rejects with a StorageError if the journal fails or is in memory, or if events wait for consent. Such events stay in
   * memory, and are lost if the process ends. If the journal is full, this does not reject: the tracker emits `dropped`.
   */
  durable(): Promise<void> {
    return this.#road.durable();
  }

  /**
   * Resolves once all events tracked before, and all events found in the journal, are delivered, dead letters or dropped.
   * Resolves earlier at the time-out, or when no event can make progress before the time-out; the report then says how many are
   * pending. Never rejects.
   */
  async flush(options?: FinishOptions): Promise<FlushReport> {
    const { timeoutMs, signal } = finishOptions(options, FLUSH_TIMEOUT_MS);
    const before = this.stats();
    if (this.#closed) {
      await new Deadline(this.#road.clock, timeoutMs, signal).wait(this.#closed);
    } else {
      const calm = this.#road.hurry();
      const deadline = new Deadline(this.#road.clock, timeoutMs, signal, this.#ending.signal);
      await deadline.wait(this.#road.settleAll(deadline));
      calm();
    }
    return this.#since(before);
  }

  /**
   * Flushes until the time-out, leaves the rest to the journal, and releases all resources. Later events are dropped. Never
   * rejects.
   */
  close(options?: FinishOptions): Promise<FlushReport> {
    this.#road.shut();
    this.#closed ??= this.#close(finishOptions(options, CLOSE_TIMEOUT_MS));
    return this.#closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** A snapshot: the counts of all events, and what waits where. Cheap to call. */
  stats(): TrackerStats {
    return this.#road.snapshots.take();
  }

  /** Adds a listener. Returns a function that removes it. A listener that throws disturbs nothing. */
  on<Name extends keyof TrackerEvents>(
    event: Name,
    listener: (detail: TrackerEvents[Name]) => void,
  ): () => void {
    return this.#road.reporter.on(event, listener);
  }

  async #close(options: FinishOptions): Promise<FlushReport> {
    const before = this.stats();
    await this.flush(options);
    this.#ending.abort();
    await new Deadline(this.#road.clock, SHUT_DOWN_MS).wait(this.#road.close());
    this.#road.giveUpVolatile();
    return this.#since(before);
  }

  /** Undefined: the user is not known. */
  #setCustomer(customer: string | undefined): void {
    if (!this.#closed) this.#road.admission.identify(customer);
  }

  /** What became of events since then, and why events are still pending. */
  #since(before: TrackerStats): FlushReport {
    const after = this.stats();
    const { held, pause, pending, suspects } = after;
    const sending = pause?.reason ?? (suspects.length < pending ? 'time-out' : 'suspects');
    const granted = held === pending ? 'unidentified' : sending;
    const reason = this.#road.admission.isOpen(false) ? granted : 'consent';
    return {
      delivered: after.delivered - before.delivered,
      deadLettered: after.deadLettered - before.deadLettered,
      dropped: lost(after) - lost(before),
      pending,
      pendingReason: pending > 0 ? reason : undefined,
    };
  }
}

/** The number of all dropped events. */
function lost({ dropped }: TrackerStats): number {
  return Object.values(dropped).reduce((total, count) => total + count);
}
