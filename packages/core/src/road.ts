import { BATCH_OVERHEAD_BYTES, InvalidEventError } from '@sluice/protocol';
import { platform } from '#platform';
import { Admission } from './admission.ts';
import type { Clock } from './base/clock.ts';
import { StorageError, storageError } from './base/errors/storage-error.ts';
import { rangeLength } from './base/range.ts';
import type { Deadline } from './deadline.ts';
import { Dispatch } from './dispatch.ts';
import { createJournal, mayHold } from './journal-choice.ts';
import type { Journal } from './keep/journal.ts';
import { guardHooks, type Hooked } from './options/hooks.ts';
import type { Settings } from './options/settings.ts';
import { SizeLimit } from './pace/size-limit.ts';
import { Budget } from './parts/budget.ts';
import type { DeadLetters } from './parts/dead-letters/dead-letters.ts';
import { LetterKeeper } from './parts/dead-letters/letter-keeper.ts';
import { Snapshots } from './snapshots.ts';
import { Books } from './tell/books.ts';
import { Reporter } from './tell/reporter.ts';
import { Lanes } from './wait/lanes.ts';

/** Builds the stages of a tracker in the order in which events pass them. Handles the lifecycle of the process or page. */
export class Road {
  readonly clock: Clock;
  readonly reporter: Reporter;
  readonly deadLetters: DeadLetters | undefined;
  readonly admission: Admission;
  readonly dispatch: Dispatch;
  readonly snapshots: Snapshots;
  readonly #settings: Settings;
  readonly #journal: Journal;
  readonly #lanes: Lanes;
  readonly #sizeLimit: SizeLimit;
  /** Closed when the road closes. */
  readonly #resources: readonly { close(): Promise<void> }[];
  readonly #books = new Books();
  readonly #handOver: Hooked['handOver'];
  readonly #opened: Promise<void>;
  #isOpened = false;
  #isClosed = false;
  readonly #stopListening: () => void;
  /** Whether the process ends, or the page is being left. An event tracked now must be written at once, or it is lost. */
  #isLeft = false;

  /** @param flush Resolves once all events tracked by now are settled, or cannot be settled for now. */
  constructor(settings: Settings, flush: () => Promise<unknown>) {
    this.#settings = settings;
    const { batch, buffer, storage } = settings;
    const hooked = guardHooks({
      ...{ settings, clock: platform.clock, redact: (text) => this.dispatch.redact(text) },
      tracked: () => this.#books.accepted,
      flush,
      onFailed: (hook, error) => this.reporter.hookFailed(hook, error),
    });
    const { clock, transport = platform.createTransport() } = hooked;
    this.clock = clock;
    const { publish } = platform;
    const reporter = new Reporter({ books: this.#books, clock, publish, log: hooked.log });
    this.reporter = reporter;
    this.#handOver = hooked.handOver;
    const journal = createJournal(settings, clock);
    this.#journal = journal;
    const sizeLimit = new SizeLimit((bytes) => reporter.emit('bodyLimit', { bytes }));
    this.#sizeLimit = sizeLimit;
    const wake = () => void this.dispatch.wake();
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
        this.snapshots.sample();
        wake();
      },
      onFailed: (error) => this.#storageFailed(error),
      onRecovered: async () => reporter.journal(this.snapshots.journalKind),
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
      // Dead letters that are read together are replayed together: read as many as fit one append.
      page: journal.groupLimit,
      isClosed: () => this.#isClosed,
      onReplayed: (count) => {
        reporter.recovered('replayed', count);
        wake();
      },
    });
    const letters = part?.store ?? new LetterKeeper(letterOptions);
    this.#resources = [letters, journal, transport];
    this.deadLetters = part?.tools;
    const dispatch = new Dispatch({
      ...{ ...parts, lanes, letters },
      isOpened: () => this.#isOpened,
      isDenied: () => this.admission.isDenied,
    });
    this.dispatch = dispatch;
    const admission = new Admission({
      ...{ ...parts, lanes, letters, wake },
      enter: ({ text, at, isHigh }) => this.#enter(text, at, isHigh),
    });
    this.admission = admission;
    this.snapshots = new Snapshots({ ...parts, lanes, letters, dispatch, admission });
    this.#opened = this.#open();
    this.#stopListening = platform.lifecycle.listen({
      exit: (isFinal) => {
        this.#isLeft = isFinal;
        this.#writeNow();
      },
      hide: (isLeft) => {
        // Before `#isLeft` is set: after that, each event that this releases would be written by itself.
        this.admission.held?.leave();
        // A page that is left is also hidden, before or after: keep `true`.
        this.#isLeft ||= isLeft;
        // Consent is denied: nothing is written or sent.
        if (this.admission.isDenied) return;
        const write = () => void this.#writeAndSend(this.#lanes.writeAll(), !this.#isLeft);
        this.dispatch.leave(this.#isLeft, write);
      },
      show: () => {
        this.#isLeft = false;
        this.dispatch.show();
      },
      online: () => this.dispatch.online(),
      offline: () => this.dispatch.offline(),
    });
  }

  /** Accepts an event. Throws an InvalidEventError if it is too large. */
  accept(text: string, at: number, isHigh: boolean, isUnidentified: boolean): void {
    this.#checkSize(text, at);
    if (this.#isClosed || this.admission.isOpen(isUnidentified)) {
      this.#enter(text, at, isHigh, 1);
    } else {
      this.#books.accepted += 1;
      this.admission.take({ text, at, isHigh, isUnidentified });
      if (this.#isLeft) this.#writeNow();
    }
  }

  /** As `Tracker.durable`. */
  async durable(): Promise<void> {
    // Held events come first: this may release some of them to the lanes, which are written next.
    const isAdmitted = await this.admission.write();
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

  /** From now on, until the returned function is called, no event waits for a batch to fill. */
  hurry(): () => void {
    return this.#lanes.hurry();
  }

  /**
   * Resolves once all events known by now are settled. Resolves earlier at the deadline, or when no event can make progress
   * before it.
   */
  async settleAll(deadline: Deadline): Promise<void> {
    await this.#opened;
    await this.admission.held?.settled();
    await this.#lanes.commit();
    const settled = this.#lanes.settled(deadline.over);
    void this.dispatch.wake();
    await this.dispatch.whileUseful(settled, deadline.at);
  }

  /** From now on, new events are dropped. */
  shut(): void {
    this.#isClosed = true;
  }

  /** Leaves the rest to the journal, and releases all resources. */
  async close(): Promise<void> {
    this.#lanes.stopBatches();
    await this.dispatch.stop();
    await this.admission.held?.close();
    await this.#lanes.commit();
    await this.#lanes.secure();
    this.#lanes.stopWriting();
    // Not earlier: if the process ends while the disk hangs, the exit handler still writes the waiting events.
    this.#stopListening();
    const closing = this.#resources.map(async (part) => part.close());
    for (const end of await Promise.allSettled(closing)) {
      if (end.status === 'rejected') this.reporter.storageFailed(end.reason);
    }
  }

  /** Drops the events that no journal holds, and reports them as `closed`. */
  giveUpVolatile(): void {
    const { survives, unsaved = 0 } = this.#journal;
    const count = this.#lanes.giveUp(survives, unsaved);
    this.reporter.settled('closed', count);
    this.admission.giveUp();
  }

  async #open(): Promise<void> {
    this.reporter.journal(this.#journal.kind);
    try {
      await this.#journal.open({
        recovered: (range, at, wasSent) => {
          if (wasSent) this.#books.maybeDuplicate += rangeLength(range);
          this.#lanes.normal.backlog.addRecovered(range, at);
          this.reporter.recovered('recovered', rangeLength(range));
          if (this.admission.isDenied) void this.#lanes.purge();
          void this.dispatch.wake();
        },
        damaged: (place, bytes) => this.reporter.emit('damaged', { place, bytes }),
        vanished: (segment) => void this.#lanes.lose(segment),
        settled: (range, fate) => {
          this.reporter.settled(fate, this.#lanes.end(range));
          void this.dispatch.wake();
        },
        failed: this.reporter.storageFailed,
      });
    } catch (error) {
      this.#storageFailed(error);
    }
    if (this.admission.isDenied) this.admission.purge();
    this.#isOpened = true;
    void this.dispatch.wake();
  }

  async #writeAndSend(written: Promise<void> = this.#lanes.commit(), sends: boolean = true): Promise<void> {
    const calm = this.#lanes.hurry();
    await written;
    if (sends) await this.dispatch.wake();
    calm();
  }

  /** Reports the failure. Events may be kept in another place now: reports that too. */
  #storageFailed(error: unknown): void {
    this.reporter.storageFailed(error);
    this.reporter.journal(this.snapshots.journalKind);
  }

  #writeNow(): void {
    if (this.admission.isDenied) return;
    try {
      this.admission.held?.leave();
      platform.writeNow(this.#lanes, this.#journal);
    } catch (error) {
      this.reporter.storageFailed(error);
    }
  }

  /** Adds an event to its lane. @param accepted 0 if the event is counted as accepted already. */
  #enter(text: string, at: number, isHigh: boolean, accepted = 0): void {
    const isClosed = this.#isClosed && accepted > 0;
    const { backlog, committer } = isHigh ? this.#lanes.high : this.#lanes.normal;
    const isTaken = !isClosed && backlog.push(text, at);
    this.#books.accepted += accepted;
    if (isTaken && this.#isLeft) this.#writeNow();
    else if (isTaken && isHigh && this.#settings.ordering === 'strict') void this.#writeAndSend();
    else if (isTaken) committer.notify(isHigh);
    else this.reporter.settled(isClosed ? 'closed' : 'buffer-full', 1);
    if (isTaken) this.#handOver?.notify();
  }

  #checkSize(text: string, now: number): void {
    const { maxEventBytes } = this.#settings;
    const refused = this.#sizeLimit.tooLargeBytes(now) - BATCH_OVERHEAD_BYTES;
    const most = Math.min(maxEventBytes, refused - 1);
    // UTF-8 takes at most three bytes per character: a text this short cannot exceed the limit.
    if (text.length * 3 <= most) return;
    const bytes = platform.text.byteLength(text);
    if (bytes <= most) return;
    const why = most < maxEventBytes ? ', since the service refused a larger body' : '';
    throw new InvalidEventError('event', `event must take at most ${most} bytes as JSON${why}, got ${bytes}`);
  }
}
