import { createAdmission, createLetters } from './shelves.ts';

// That comes first: gzip looks back 32 KiB, and finds more that is alike in this order.

import { type Clock, systemClock } from '@sluice/protocol/toolbox';
import { platform } from '#platform';
import { checkSize, type EventTexts } from './accept/event-text.ts';
import type { DropReason } from './base/fate.ts';
import type { Deadline } from './deadline.ts';
import { createDispatch, type Dispatch } from './dispatch.ts';
import { makeDurable } from './durable.ts';
import { createJournal } from './journal-choice.ts';
import { journalObserver } from './journal-observer.ts';
import type { Journal } from './keep/journal.ts';
import { createLeaving, type Leaving } from './leaving.ts';
import { type Guarded, guardCallbacks } from './options/callbacks.ts';
import type { Consent } from './options/options.ts';
import type { Settings } from './options/settings.ts';
import { HalvingLimit } from './pace/halving-limit.ts';
import type { DeadLetters } from './parts/dead-letters/dead-letters.ts';
import type { Admission } from './parts/hold/admission.ts';
import { createSnapshots, type Snapshots } from './snapshots.ts';
import { Books } from './tell/books.ts';
import { consoleWarnings } from './tell/console-log.ts';
import { Reporter } from './tell/reporter.ts';
import { Waiting } from './wait/waiting.ts';

interface Resource {
  close(): Promise<void>;
}

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
  readonly #waiting: Waiting;
  /** Closed when the road closes. */
  readonly #resources: readonly Resource[];
  readonly #books = new Books();
  readonly hooked: Pick<Guarded, 'prepare' | 'handOver'>;
  #opened: Promise<void> = Promise.resolve();
  /** Resolves once the page is shown. Undefined if it is. */
  #activated = platform.lifecycle.activated?.();
  #isOpened = false;
  #isClosed = false;
  readonly #leaving: Leaving;

  /** @param flush Resolves once all events tracked by now are settled, or cannot be settled for now. */
  constructor(settings: Settings, texts: EventTexts, flush: () => Promise<unknown>) {
    this.#settings = settings;
    const { clock = systemClock, random = Math.random } = settings;
    const redact = (text: string) => this.dispatch.redact(text);
    const hooked = guardCallbacks({
      settings,
      clock,
      redact,
      tracked: () => this.#books.accepted,
      flush,
      onFailed: (callback, error) => this.reporter.callbackFailed(callback, error),
    });
    const { transport = platform.createTransport(settings) } = hooked;
    this.clock = clock;
    const warnings = hooked.log ?? (settings.logger !== false && consoleWarnings(redact));
    const tells = [platform.publish, warnings, hooked.steps];
    const reporter = new Reporter({ books: this.#books, clock, tells: tells.filter((tell) => !!tell) });
    this.reporter = reporter;
    this.hooked = hooked;
    const journal = createJournal(settings, clock);
    this.#journal = journal;
    const limits = settings.parts.learn?.(reporter) ?? { bytes: new HalvingLimit() };
    const wake = () => void this.dispatch.wake();
    const onDue = () => {
      this.snapshots.sample();
      wake();
    };
    const onFailed = (error: unknown) => this.#storageFailed(error);
    const isStrict = settings.ordering === 'strict';
    const { batch, buffer, parts, storage } = settings;
    const rest = platform.createRest?.({ settings, clock, transport, sender: () => this.dispatch });
    const waiting = new Waiting({
      journal,
      text: platform.text,
      clock,
      random,
      buffer,
      batch,
      limits,
      isStrict,
      lanes: settings.lanes,
      commitIntervalMs: settings.commitIntervalMs,
      createBounds: (waiting) =>
        parts.bounds?.({
          settings: { batch, storage },
          journal,
          clock,
          reporter,
          waiting,
          opened: () => this.#opened,
          onDue,
          onFailed,
        }),
      // With strict order, what previous processes left goes first.
      isShut: () => this.admission.isDenied || (isStrict && !this.#isOpened) || rest?.isOn(waiting),
      onDue,
      onFailed,
      onRecovered: () => reporter.journal(this.snapshots.journalKind),
      reporter,
    });
    this.#waiting = waiting;
    const { keeper: letters, deadLetters } = createLetters({
      settings,
      clock,
      reporter,
      journal,
      waiting,
      wake,
    });
    this.#resources = [letters, journal, transport, rest].filter((each) => !!each);
    this.deadLetters = deadLetters;
    const dispatch = createDispatch({
      books: this.#books,
      clock,
      hooked,
      letters,
      limits,
      random,
      reporter,
      settings,
      sharing: journal.sharing,
      texts,
      transport,
      waiting,
    });
    this.dispatch = dispatch;
    const admission = createAdmission({
      settings,
      clock,
      journal,
      waiting,
      letters,
      reporter,
      isWaiting: this.#activated !== undefined,
      enter: ({ text, at, isHigh, customer }) => this.#enter(text, at, isHigh, customer),
      texts,
      wake,
    });
    this.admission = admission;
    this.snapshots = createSnapshots({
      admission,
      books: this.#books,
      clock,
      dispatch,
      journal,
      letters,
      reporter,
      waiting,
    });
    if (this.#activated) void this.#activated.then(() => this.#start());
    else this.#opened = this.#open();
    this.#leaving = createLeaving({ journal, waiting, admission, dispatch, reporter });
  }

  /** Accepts an event. Throws an InvalidEventError if it is too large. */
  accept(text: string, at: number, isHigh: boolean, isUnidentified: boolean, customer: string): void {
    checkSize(text, this.#settings.maxEventBytes, platform.text.byteLength);
    if (this.#isClosed || this.admission.isOpen(isUnidentified)) {
      this.#enter(text, at, isHigh, customer, 1);
    } else {
      this.#books.accepted += 1;
      this.admission.take({ text, at, isHigh, isUnidentified, customer });
      if (this.#leaving.isLeft) this.#leaving.writeNow();
    }
  }

  /** Of a page that is not shown yet, it is set once that is shown. */
  setConsent(consent: Consent): void {
    if (this.#activated) void this.#activated.then(() => this.setConsent(consent));
    else if (!this.#isClosed) this.admission.setConsent(consent);
  }

  /** Accepts an event that is dropped at once. */
  drop(reason: DropReason): void {
    this.#books.accepted += 1;
    this.reporter.settled(reason, 1);
  }

  /** As `Tracker.durable`. */
  durable(): Promise<void> {
    const { admission, reporter } = this;
    return makeDurable({ admission, journal: this.#journal, reporter, waiting: this.#waiting });
  }

  /** From now on, until the returned function is called, no event waits for a batch to fill. */
  hurry(): () => void {
    return this.#waiting.hurry();
  }

  /**
   * Resolves once all events known by now are settled. Resolves earlier at the deadline, or when no event can make progress
   * before it.
   */
  async settleAll(deadline: Deadline): Promise<void> {
    await this.#opened;
    await this.admission.write();
    // The tracker may be closed: nothing is written any more.
    if (deadline.over.aborted) return;
    const settled = this.#waiting.turn();
    await this.#waiting.commitAll();
    void this.dispatch.wake();
    await this.dispatch.whileUseful(settled(deadline.over), deadline.at);
  }

  /** From now on, the end of the process or page is nothing to this tracker. */
  ignore(): void {
    this.#leaving.stop();
  }

  /** From now on, new events are dropped. */
  shut(): void {
    this.#isClosed = true;
  }

  /** Leaves the rest to the journal, and releases all resources. */
  async close(): Promise<void> {
    this.#waiting.stopBatches();
    await this.dispatch.stop();
    await this.admission.close();
    await this.#waiting.commitAll();
    await this.#waiting.commit.stop();
    // Not earlier: if the process ends while the disk hangs, the exit handler still writes the waiting events.
    this.#leaving.stop();
    const close = async (part: Resource) => part.close();
    await Promise.all(this.#resources.map((part) => close(part).catch(this.reporter.storageFailed)));
  }

  /** Drops the events that no journal holds, and reports them as `closed`. */
  giveUpVolatile(): void {
    const { survives, unsaved = 0 } = this.#journal;
    const count = this.#waiting.giveUp(survives, unsaved);
    this.reporter.settled('closed', count);
    this.admission.giveUp();
  }

  /** The page is shown. Until now, nothing was stored, sent or looked for. */
  #start(): void {
    this.#activated = undefined;
    if (this.#isClosed) return;
    this.#opened = this.#open();
    this.admission.start();
  }

  async #open(): Promise<void> {
    this.reporter.journal(this.#journal.kind);
    try {
      await this.#journal.open(
        journalObserver({
          waiting: this.#waiting,
          journal: this.#journal,
          books: this.#books,
          admission: this.admission,
          reporter: this.reporter,
          onFailed: (error) => this.#storageFailed(error),
          wake: () => void this.dispatch.wake(),
        }),
      );
    } catch (error) {
      this.#storageFailed(error);
    }
    if (this.admission.isDenied) this.admission.purge();
    this.#isOpened = true;
    void this.dispatch.wake();
  }

  /** Reports the failure. Events may be kept in another place now: reports that too. */
  #storageFailed(error: unknown): void {
    this.reporter.storageFailed(error);
    this.reporter.journal(this.snapshots.journalKind);
  }

  /** Adds an event to the ring buffer. @param accepted 0 if the event is counted as accepted already. */
  #enter(text: string, at: number, isHigh: boolean, customer: string, accepted = 0): void {
    const isClosed = this.#isClosed && accepted > 0;
    const isTaken = !isClosed && this.#waiting.push(text, at, isHigh, customer);
    this.#books.accepted += accepted;
    if (isTaken && this.#leaving.isLeft) this.#leaving.writeNow();
    else if (isTaken && isHigh && this.#settings.ordering !== 'unordered')
      void this.#opened.then(() => this.#leaving.writeAndSend());
    else if (isTaken) this.#waiting.commit.notify(isHigh);
    else this.reporter.settled(isClosed ? 'closed' : 'buffer-full', 1);
    if (isTaken) this.hooked.handOver?.notify();
  }
}
