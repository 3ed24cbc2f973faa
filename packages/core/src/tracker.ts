// Users whose own settings lack this library still have to compile against `await using`.
/// <reference lib="esnext.disposable" preserve="true" />
import { readApiKey } from '@sluice/protocol';
import { platform } from '#platform';
import { checkText, EventTexts, type TrackOptions } from './accept/event-text.ts';
import { UNIDENTIFIED } from './accept/unidentified.ts';
import { Deadline, finishOptions } from './deadline.ts';
import type { Consent, TrackerOptions } from './options/options.ts';
import { readConsent, readOptions, type Settings } from './options/settings.ts';
import type { DeadLetters } from './parts/dead-letters/dead-letters.ts';
import { missingPart } from './parts.ts';
import { Road } from './road.ts';
import type { FinishOptions, FlushReport, TrackerStats } from './tell/stats.ts';
import type { TrackerEvents } from './tell/tracker-events.ts';

const FLUSH_TIMEOUT_MS = 30_000;
const CLOSE_TIMEOUT_MS = 10_000;
/** Bound of giving everything back, also where storage hangs. */
const SHUT_DOWN_MS = 5_000;
const NO_OPTIONS: TrackOptions = {};

/**
 * Makes a tracker. Synchronous: what is tracked while its journal opens waits in memory.
 * Throws a ConfigError where an option is wrong, and nothing else.
 */
export function createTracker(options: TrackerOptions): Tracker {
  return new Tracker(readOptions(options, platform));
}

/** Takes events, keeps them safe, delivers them. Made by `createTracker`. */
export class Tracker {
  readonly #settings: Settings;
  readonly #texts: EventTexts;
  readonly #road: Road;
  #closed: Promise<FlushReport> | undefined;
  /** Aborted once nothing will be delivered any more. */
  readonly #ending = platform.createAbortController();

  /** @internal */
  constructor(settings: Settings) {
    this.#settings = settings;
    this.#texts = new EventTexts(settings.correlationKey, settings.source, settings.maxEventBytes);
    this.#texts.correlationValue = this.#nobody;
    this.#road = new Road(settings, () => this.flush());
  }

  /**
   * The events that the service refused for good: to look at, send again, or delete. In a page this takes the part
   * `deadLetters`, and throws a ConfigError without it; they are kept all the same.
   */
  get deadLetters(): DeadLetters {
    return this.#road.deadLetters ?? missingPart('tracker.deadLetters', 'deadLetters');
  }

  /**
   * Takes an event: stamps it, and leaves the rest to be done later. Does no I/O, and never throws: an event that cannot
   * be sent is counted and raised as `invalid`, one for which there is no room as `dropped`.
   *
   * @param name Name of the event.
   * @param payload Any data that JSON can hold.
   */
  track(name: string, payload?: object, options: TrackOptions = NO_OPTIONS): void {
    try {
      const at = this.#road.clock.now();
      const text = this.#texts.create(name, payload, options, at);
      this.#road.accept(text, at, options.priority === 'high', this.#texts.isUnidentified);
    } catch (error) {
      this.#road.reporter.invalid(error);
    }
  }

  /** Sets the user to whom events belong from here on, unless they say otherwise. Never throws, as `track()`. */
  identify(correlationValue: string): void {
    try {
      checkText('correlationValue', correlationValue, this.#settings.maxEventBytes);
      this.#setCustomer(correlationValue);
    } catch (error) {
      this.#road.reporter.invalid(error);
    }
  }

  /**
   * The customer has signed out: later events belong to nobody, until `identify()` is called again. What was held and never
   * identified is dropped. Never throws; `durable()` resolves once the next life knows of it too.
   */
  reset(): void {
    this.#setCustomer(undefined);
  }

  /**
   * Whether events may be kept and sent from here on. `pending` keeps what comes in memory only; `granted` lets it go on;
   * `denied` drops it, with all that waits and is stored: a request under way goes on, and is not made again. Throws a
   * ConfigError where it is none of these.
   */
  setConsent(consent: Consent): void {
    const read = readConsent(consent);
    if (this.#closed === undefined) this.#road.admission.setConsent(read);
  }

  /**
   * Later requests carry this key; a sender that paused because of the former one goes on at once. The journal stays where
   * it is. Throws a ConfigError where it is no key.
   */
  setApiKey(apiKey: string): void {
    this.#road.dispatch.setApiKey(readApiKey(apiKey));
  }

  /**
   * Resolves once all that was tracked before is durable: in the journal, and synced as `fsync` says; with `interval`, now.
   * Rejects with a StorageError where the journal fails or is in memory: the events go on, and end with the process.
   * What was dropped because the journal is full is raised as `dropped`, not here.
   */
  durable(): Promise<void> {
    return this.#road.durable();
  }

  /**
   * Resolves once all that was tracked before, and all that was found in the journal, is delivered or a dead letter;
   * or at the time-out, or as soon as nothing can become of any before it, with what is pending. Never rejects.
   */
  async flush(options?: FinishOptions): Promise<FlushReport> {
    const { timeoutMs, signal } = finishOptions(options, FLUSH_TIMEOUT_MS);
    const before = this.#road.snapshots.report();
    if (this.#closed !== undefined) {
      await new Deadline(this.#road.clock, timeoutMs, signal).wait(this.#closed);
    } else {
      const calm = this.#road.hurry();
      const deadline = new Deadline(this.#road.clock, timeoutMs, signal, this.#ending.signal);
      await deadline.wait(this.#road.settleAll(deadline));
      calm();
    }
    return difference(before, this.#road.snapshots.report());
  }

  /** Flushes until the time-out, leaves the rest to the journal, and gives everything back. Later events are dropped. Never rejects. */
  close(options?: FinishOptions): Promise<FlushReport> {
    this.#road.shut();
    this.#closed ??= this.#close(finishOptions(options, CLOSE_TIMEOUT_MS));
    return this.#closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** The books, and what waits where. Costs next to nothing. */
  stats(): TrackerStats {
    return this.#road.snapshots.take();
  }

  /** Listens to what happens. Returns how to stop. A listener that throws disturbs nothing. */
  on<Name extends keyof TrackerEvents>(
    event: Name,
    listener: (detail: TrackerEvents[Name]) => void,
  ): () => void {
    return this.#road.reporter.on(event, listener);
  }

  async #close(options: FinishOptions): Promise<FlushReport> {
    const before = this.#road.snapshots.report();
    await this.flush(options);
    this.#ending.abort();
    await new Deadline(this.#road.clock, SHUT_DOWN_MS).wait(this.#road.close());
    this.#road.giveUpVolatile();
    return difference(before, this.#road.snapshots.report());
  }

  /** Whose events are that do not say; undefined where that is not known. */
  #setCustomer(customer: string | undefined): void {
    this.#texts.correlationValue = customer ?? this.#nobody;
    if (this.#closed === undefined) this.#road.admission.identify(customer);
  }

  /** What stands in an event that is nobody's. */
  get #nobody(): string | undefined {
    return this.#settings.unidentified.hold ? UNIDENTIFIED : undefined;
  }
}

/** What became of events between two reports, and what is left. */
function difference(before: FlushReport, after: FlushReport): FlushReport {
  return {
    delivered: after.delivered - before.delivered,
    deadLettered: after.deadLettered - before.deadLettered,
    dropped: after.dropped - before.dropped,
    pending: after.pending,
  };
}
