// Users whose own settings lack this library still have to compile against `await using`.
/// <reference lib="esnext.disposable" preserve="true" />
import { BATCH_OVERHEAD_BYTES, InvalidEventError, readApiKey } from '@sluice/protocol';
import { platform } from '#platform';
import { checkText, EventTexts, type TrackOptions } from './accept/event-text.ts';
import { UNIDENTIFIED } from './accept/unidentified.ts';
import { Admission } from './admission.ts';
import type { Clock } from './base/clock.ts';
import { StorageError, storageError } from './base/errors/storage-error.ts';
import { rangeLength } from './base/range.ts';
import { Deadline, finishOptions } from './deadline.ts';
import { Dispatch } from './dispatch.ts';
import { createJournal, mayHold } from './journal-choice.ts';
import type { Journal } from './keep/journal.ts';
import { guardHooks, type Hooked } from './options/hooks.ts';
import type { Consent, TrackerOptions } from './options/options.ts';
import { readConsent, readOptions, type Settings } from './options/settings.ts';
import { SizeLimit } from './pace/size-limit.ts';
import { Budget } from './parts/budget.ts';
import type { DeadLetters } from './parts/dead-letters/dead-letters.ts';
import { LetterKeeper } from './parts/dead-letters/letter-keeper.ts';
import { missingPart } from './parts.ts';
import { Snapshots } from './snapshots.ts';
import { Books } from './tell/books.ts';
import { Reporter } from './tell/reporter.ts';
import type { FinishOptions, FlushReport, TrackerStats } from './tell/stats.ts';
import type { TrackerEvents } from './tell/tracker-events.ts';
import { Lanes } from './wait/lanes.ts';

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
  readonly #clock: Clock;
  readonly #texts: EventTexts;
  readonly #journal: Journal;
  readonly #lanes: Lanes;
  readonly #sizeLimit: SizeLimit;
  readonly #deadLetters: DeadLetters | undefined;
  readonly #dispatch: Dispatch;
  readonly #snapshots: Snapshots;
  readonly #admission: Admission;
  /** What is to be closed with it. */
  readonly #resources: readonly { close(): Promise<void> }[];
  readonly #books = new Books();
  readonly #reporter: Reporter;
  readonly #handOver: Hooked['handOver'];
  readonly #opened: Promise<void>;
  #isOpened = false;
  readonly #stopListening: () => void;
  /** Whether the process ends, or the page is being left: what is tracked now is written at once, or never. */
  #isLeft = false;
  #closed: Promise<FlushReport> | undefined;
  /** Aborted once nothing will be delivered any more. */
  readonly #ending = platform.createAbortController();

  /** @internal */
  constructor(settings: Settings) {
    this.#settings = settings;
    const { batch, buffer, storage } = settings;
    const hooked = guardHooks({
      ...{ settings, clock: platform.clock, redact: (text) => this.#dispatch.redact(text) },
      tracked: () => this.#books.accepted,
      flush: () => this.flush(),
      onFailed: (hook, error) => this.#reporter.hookFailed(hook, error),
    });
    const { clock } = hooked;
    const { transport = platform.createTransport() } = hooked;
    this.#clock = clock;
    this.#texts = new EventTexts(settings.correlationKey, settings.source, settings.maxEventBytes);
    this.#texts.correlationValue = this.#nobody;
    const { publish } = platform;
    const reporter = new Reporter({ books: this.#books, clock, publish, log: hooked.log });
    this.#reporter = reporter;
    this.#handOver = hooked.handOver;
    const journal = createJournal(settings, clock);
    this.#journal = journal;
    const sizeLimit = new SizeLimit((bytes) => reporter.emit('bodyLimit', { bytes }));
    this.#sizeLimit = sizeLimit;
    const wake = () => void this.#dispatch.wake();
    const parts = { ...hooked, settings, transport, journal, reporter, books: this.#books, sizeLimit };
    const lanes = new Lanes({
      ...{ ...parts, buffer, text: platform.text, limit: batch },
      createAbortController: platform.createAbortController,
      budget: new Budget({
        ...{ ...parts, ...storage },
        evict: (segment) => lanes.evict(segment),
        rescue: (segment) => lanes.rescue(segment),
        ...(storage.maxBytes < Number.POSITIVE_INFINITY && { opened: () => this.#opened }),
      }),
      intervalMs: settings.commitIntervalMs ?? platform.commitIntervalMs,
      maxWaitMs: batch.maxWaitMs,
      maxAgeMs: storage.maxAgeMs,
      isStrict: settings.ordering === 'strict',
      onWritten: () => {
        this.#snapshots.sample();
        wake();
      },
      onFailed: (error) => this.#storageFailed(error),
      onRecovered: async () => reporter.journal(this.#snapshots.journalKind),
      onDue: wake,
    });
    this.#lanes = lanes;
    const letterOptions = {
      ...{ ...parts, ...settings.deadLetters },
      createJournal: () => createJournal(settings, clock, 'dead-letters'),
    };
    const part = settings.parts.deadLetters?.({
      ...{ ...letterOptions, ...lanes.normal },
      mayHold: () => mayHold(settings, clock, 'dead-letters'),
      // What is read together is replayed together.
      page: journal.groupLimit,
      isClosed: () => this.#closed !== undefined,
      onReplayed: (count) => {
        reporter.recovered('replayed', count);
        wake();
      },
    });
    const letters = part?.store ?? new LetterKeeper(letterOptions);
    this.#resources = [letters, journal, transport];
    this.#deadLetters = part?.tools;
    const dispatch = new Dispatch({
      ...{ ...parts, lanes, letters },
      isOpened: () => this.#isOpened,
      isDenied: () => this.#admission.isDenied,
    });
    this.#dispatch = dispatch;
    const admission = new Admission({
      ...{ ...parts, lanes, letters, wake },
      enter: ({ text, at, isHigh }) => this.#enter(text, at, isHigh),
    });
    this.#admission = admission;
    this.#snapshots = new Snapshots({ ...parts, lanes, letters, dispatch, admission });
    this.#opened = this.#open();
    this.#stopListening = platform.lifecycle.listen({
      exit: (isFinal) => {
        this.#isLeft = isFinal;
        this.#writeNow();
      },
      hide: (isLeft) => {
        // Before all that goes is written, each event by itself.
        this.#admission.held?.leave();
        // A page that is left is also hidden, before or after.
        this.#isLeft ||= isLeft;
        // What is still here is neither written nor sent.
        if (this.#admission.isDenied) return;
        const write = () => void this.#writeAndSend(this.#lanes.writeAll(), !this.#isLeft);
        this.#dispatch.leave(this.#isLeft, write);
      },
      show: () => {
        this.#isLeft = false;
        this.#dispatch.show();
      },
      online: () => this.#dispatch.online(),
      offline: () => this.#dispatch.offline(),
    });
  }

  /**
   * The events that the service refused for good: to look at, send again, or delete. In a page this takes the part
   * `deadLetters`, and throws a ConfigError without it; they are kept all the same.
   */
  get deadLetters(): DeadLetters {
    return this.#deadLetters ?? missingPart('tracker.deadLetters', 'deadLetters');
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
      const now = this.#clock.now();
      const text = this.#texts.create(name, payload, options, now);
      this.#checkSize(text, now);
      const isHigh = options.priority === 'high';
      const { isUnidentified } = this.#texts;
      if (this.#closed !== undefined || this.#admission.isOpen(isUnidentified)) {
        this.#enter(text, now, isHigh, 1);
      } else {
        this.#books.accepted += 1;
        this.#admission.take({ text, at: now, isHigh, isUnidentified });
        if (this.#isLeft) this.#writeNow();
      }
    } catch (error) {
      this.#reporter.invalid(error);
    }
  }

  /** Sets the user to whom events belong from here on, unless they say otherwise. Never throws, as `track()`. */
  identify(correlationValue: string): void {
    try {
      checkText('correlationValue', correlationValue, this.#settings.maxEventBytes);
      this.#setCustomer(correlationValue);
    } catch (error) {
      this.#reporter.invalid(error);
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
    if (this.#closed === undefined) this.#admission.setConsent(read);
  }

  /**
   * Later requests carry this key; a sender that paused because of the former one goes on at once. The journal stays where
   * it is. Throws a ConfigError where it is no key.
   */
  setApiKey(apiKey: string): void {
    this.#dispatch.setApiKey(readApiKey(apiKey));
  }

  /**
   * Resolves once all that was tracked before is durable: in the journal, and synced as `fsync` says; with `interval`, now.
   * Rejects with a StorageError where the journal fails or is in memory: the events go on, and end with the process.
   * What was dropped because the journal is full is raised as `dropped`, not here.
   */
  async durable(): Promise<void> {
    // What is held may go on its road meanwhile.
    const isAdmitted = await this.#admission.write();
    const isWritten = (await this.#lanes.write()) && isAdmitted;
    if (!isWritten || !this.#journal.survives) {
      const fails = 'the journal fails or is full, or consent is pending; events go on in memory';
      const why = this.#journal.survives ? fails : 'the journal is in memory';
      throw new StorageError(`what was tracked is not durable: ${why}`);
    }
    try {
      await this.#journal.sync();
    } catch (cause) {
      throw storageError('what was tracked may not survive a power cut', cause);
    }
  }

  /**
   * Resolves once all that was tracked before, and all that was found in the journal, is delivered or a dead letter;
   * or at the time-out, or as soon as nothing can become of any before it, with what is pending. Never rejects.
   */
  async flush(options?: FinishOptions): Promise<FlushReport> {
    const { timeoutMs, signal } = finishOptions(options, FLUSH_TIMEOUT_MS);
    const before = this.#report();
    if (this.#closed !== undefined) {
      await new Deadline(this.#clock, timeoutMs, signal).wait(this.#closed);
    } else {
      const calm = this.#lanes.hurry();
      const deadline = new Deadline(this.#clock, timeoutMs, signal, this.#ending.signal);
      await deadline.wait(this.#settleAll(deadline));
      calm();
    }
    return difference(before, this.#report());
  }

  /** Flushes until the time-out, leaves the rest to the journal, and gives everything back. Later events are dropped. Never rejects. */
  close(options?: FinishOptions): Promise<FlushReport> {
    this.#closed ??= this.#close(finishOptions(options, CLOSE_TIMEOUT_MS));
    return this.#closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** The books, and what waits where. Costs next to nothing. */
  stats(): TrackerStats {
    return this.#snapshots.take();
  }

  /** Listens to what happens. Returns how to stop. A listener that throws disturbs nothing. */
  on<Name extends keyof TrackerEvents>(
    event: Name,
    listener: (detail: TrackerEvents[Name]) => void,
  ): () => void {
    return this.#reporter.on(event, listener);
  }

  async #open(): Promise<void> {
    this.#reporter.journal(this.#journal.kind);
    try {
      await this.#journal.open({
        recovered: (range, at, wasSent) => {
          if (wasSent) this.#books.maybeDuplicate += rangeLength(range);
          this.#lanes.normal.backlog.addRecovered(range, at);
          this.#reporter.recovered('recovered', rangeLength(range));
          if (this.#admission.isDenied) void this.#lanes.purge();
          void this.#dispatch.wake();
        },
        damaged: (place, bytes) => this.#reporter.emit('damaged', { place, bytes }),
        vanished: (segment) => void this.#lanes.lose(segment),
        settled: (range, fate) => {
          this.#reporter.settled(fate, this.#lanes.end(range));
          void this.#dispatch.wake();
        },
        failed: this.#reporter.storageFailed,
      });
    } catch (error) {
      this.#storageFailed(error);
    }
    if (this.#admission.isDenied) this.#admission.purge();
    this.#isOpened = true;
    void this.#dispatch.wake();
  }

  async #close(options: FinishOptions): Promise<FlushReport> {
    const before = this.#report();
    await this.flush(options);
    this.#ending.abort();
    await new Deadline(this.#clock, SHUT_DOWN_MS).wait(this.#shutDown());
    this.#giveUpVolatile();
    return difference(before, this.#report());
  }

  async #settleAll(deadline: Deadline): Promise<void> {
    await this.#opened;
    await this.#admission.held?.settled();
    await this.#lanes.commit();
    const settled = this.#lanes.settled(deadline.over);
    void this.#dispatch.wake();
    await this.#dispatch.whileUseful(settled, deadline.at);
  }

  async #writeAndSend(written: Promise<void> = this.#lanes.commit(), sends: boolean = true): Promise<void> {
    const calm = this.#lanes.hurry();
    await written;
    if (sends) await this.#dispatch.wake();
    calm();
  }

  async #shutDown(): Promise<void> {
    this.#lanes.stopBatches();
    await this.#dispatch.stop();
    await this.#admission.held?.close();
    await this.#lanes.commit();
    await this.#lanes.secure();
    this.#lanes.stopWriting();
    // Not before: should the process end while the disk hangs, what waits is still written at its last moment.
    this.#stopListening();
    const closing = this.#resources.map(async (part) => part.close());
    for (const end of await Promise.allSettled(closing)) {
      if (end.status === 'rejected') this.#reporter.storageFailed(end.reason);
    }
  }

  /** What no journal holds ends here, and that is said. */
  #giveUpVolatile(): void {
    const { survives, unsaved = 0 } = this.#journal;
    const count = this.#lanes.giveUp(survives, unsaved);
    this.#reporter.settled('closed', count);
    this.#admission.giveUp();
  }

  /** Events may be kept elsewhere now. */
  #storageFailed(error: unknown): void {
    this.#reporter.storageFailed(error);
    this.#reporter.journal(this.#snapshots.journalKind);
  }

  #writeNow(): void {
    if (this.#admission.isDenied) return;
    try {
      this.#admission.held?.leave();
      platform.writeNow(this.#lanes, this.#journal);
    } catch (error) {
      this.#reporter.storageFailed(error);
    }
  }

  /** Puts an event on the road. @param accepted 0 for one that is counted already. */
  #enter(text: string, at: number, isHigh: boolean, accepted = 0): void {
    const isClosed = this.#closed !== undefined && accepted > 0;
    const { backlog, committer } = isHigh ? this.#lanes.high : this.#lanes.normal;
    const isTaken = !isClosed && backlog.push(text, at);
    this.#books.accepted += accepted;
    if (isTaken && this.#isLeft) this.#writeNow();
    else if (isTaken && isHigh && this.#settings.ordering === 'strict') void this.#writeAndSend();
    else if (isTaken) committer.notify(isHigh);
    else this.#reporter.settled(isClosed ? 'closed' : 'buffer-full', 1);
    if (isTaken) this.#handOver?.notify();
  }

  /** Whose events are that do not say; undefined where that is not known. */
  #setCustomer(customer: string | undefined): void {
    this.#texts.correlationValue = customer ?? this.#nobody;
    if (this.#closed === undefined) this.#admission.identify(customer);
  }

  /** What stands in an event that is nobody's. */
  get #nobody(): string | undefined {
    return this.#settings.unidentified.hold ? UNIDENTIFIED : undefined;
  }

  #checkSize(text: string, now: number): void {
    const { maxEventBytes } = this.#settings;
    const refused = this.#sizeLimit.tooLargeBytes(now) - BATCH_OVERHEAD_BYTES;
    const most = Math.min(maxEventBytes, refused - 1);
    // Only a text of a third of the limit or more can be above it.
    if (text.length * 3 <= most) return;
    const bytes = platform.text.byteLength(text);
    if (bytes <= most) return;
    const why = most < maxEventBytes ? ', since the service refused a larger body' : '';
    throw new InvalidEventError('event', `event must take at most ${most} bytes as JSON${why}, got ${bytes}`);
  }

  #report(): FlushReport {
    const { delivered, deadLettered, droppedTotal } = this.#books;
    const pending = this.#lanes.waiting.pending + this.#admission.pending;
    return { delivered, deadLettered, dropped: droppedTotal, pending };
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
