import { MAX_TIMER_MS } from '@sluice/protocol/toolbox';
import { Alarm } from '../base/alarm.ts';
import { StorageError } from '../base/errors/storage-error.ts';
import type { EventBytes, Limit } from '../base/event-bytes.ts';
import type { Fate } from '../base/fate.ts';
import { type Range, rangeLength } from '../base/range.ts';
import { GroupCommit } from '../keep/group-commit.ts';
import { syncCopies } from '../keep/journal.ts';
import type { Reporter } from '../tell/reporter.ts';
import type { Memory } from './contents.ts';
import { Line } from './line.ts';
import type { Parcel } from './parcel.ts';
import { Parcels } from './parcels.ts';
import type { Place, Queue } from './queue.ts';

/** When the service is back, this many batches stay in memory. The rest is left to the journal. */
const FRESH_BATCHES = 2;
/** How often to look for events that are too old, as a part of the age that they may reach. */
const AGE_CHECKS = 20;

type LineOptions = ConstructorParameters<typeof Line>[0];
type CommitOptions = ConstructorParameters<typeof GroupCommit>[0];
type Own = 'memory' | 'epochs' | 'denied' | 'isUrgent' | 'sendsUnwritten' | 'damaged';

interface WaitingOptions extends Omit<LineOptions, Own> {
  readonly settings: LineOptions['settings'] & {
    /** How long an event may wait in memory for others to be written with, in milliseconds. */
    readonly commitIntervalMs: number;
    readonly storage: CommitOptions['storage'] & { readonly maxAgeMs?: number | undefined };
  };
  readonly random: () => number;
  readonly opened: CommitOptions['opened'];
  /** Whether nothing may be sent now. */
  readonly isShut: () => boolean | undefined;
  /** The journal failed. Events are sent from memory meanwhile. */
  readonly onFailed: (error: unknown) => void;
  readonly onRecovered: () => void;
  readonly reporter: Pick<Reporter, 'settled' | 'storageFailed'>;
}

/** All that waits to be sent, and what the sender has of it. */
export class Waiting extends Parcels {
  readonly commit: GroupCommit;
  /** Number of callers that wait for all events. Until they are done, no event waits for a full batch. */
  urgent = 0;
  readonly #memory: Memory;
  readonly #options: WaitingOptions;
  readonly #isStrict: boolean;
  readonly #maxAgeMs: number;
  readonly #normal: Line;
  /** Made with the first event of high priority. Such events go first, and wait for no others. */
  #high: Line | undefined;
  /** The last parcel had high priority: a normal one is next, if any is due. */
  #wasHigh = false;
  /** Rings when it is time to look for events that are too old. */
  readonly #expiry: Alarm;
  #consent = new AbortController();

  constructor(options: WaitingOptions) {
    const { clock, journal, onDue, onFailed, settings, text } = options;
    super(journal, onFailed);
    this.#options = options;
    this.#isStrict = settings.ordering === 'strict';
    this.#maxAgeMs = settings.storage.maxAgeMs ?? Number.POSITIVE_INFINITY;
    this.#memory = text.createMemory();
    this.#expiry = new Alarm(clock, onDue);
    this.#normal = this.#lineOf(false);
    this.lines.push(this.#normal);
    this.commit = new GroupCommit({
      ...options,
      isStrict: this.#isStrict,
      commitIntervalMs: settings.commitIntervalMs,
      storage: settings.storage,
      waiting: this,
      onChange: () => {
        // There is memory for written events up to a limit: older ones are left to the journal, but not before they fill a batch.
        const limit = { maxEvents: Number.POSITIVE_INFINITY, maxBytes: text.mostWrittenBytes };
        this.#leaveToJournal(limit, settings.batch.maxBytes);
        onDue();
      },
    });
  }

  /** Whether anything may be sent that the sender does not have, due or not. */
  get hasOthers(): boolean {
    return !this.#options.isShut() && this.lines.some(({ hasFree }) => hasFree);
  }

  /** Aborts when consent is denied to send what is taken now. */
  get denied(): AbortSignal {
    return this.#consent.signal;
  }

  /** Accepts an event. Returns false if there is no room for it. */
  push(text: string, at: number, isHigh: boolean, customer: string): boolean {
    const { isOrdered } = this.#options.settings;
    if (!this.#queueFor(isHigh && !this.#isStrict && !isOrdered).push(text, at, customer)) return false;
    this.epochs.enter(1);
    return true;
  }

  /** The journal has events of a previous process. */
  recovered(range: Range, at?: number): void {
    this.epochs.enter(rangeLength(range));
    this.#normal.queue.recover(range, at);
  }

  /**
   * Writes events that were kept elsewhere, dead letters or held events, and lets them wait. Resolves once the journal holds them
   * as safely as it holds any. Rejects with a StorageError if it does not: then none of them waits.
   *
   * @param count Called as soon as they wait, so that they count once at every moment.
   */
  async replay(events: EventBytes, count: () => void): Promise<void> {
    const { denied } = this;
    const range = await this.commit.put(events);
    if (!range) throw new StorageError('events stay where they are: the journal fails or is full');
    await syncCopies(this.#options.journal, range);
    this.recovered(range, events.times?.[0]);
    count();
    if (!denied.aborted) return;
    // Consent was denied meanwhile.
    this.#options.reporter.settled('denied', this.drop(range));
    await this.#acknowledge([range]);
  }

  /** Resolves to true once all that is accepted by now is written; to false if the journal fails: then it is sent from memory. */
  commitAll(): Promise<boolean> {
    return this.commit.write(this.mark());
  }

  /** Until the returned function is called, no event waits for a full batch. */
  hurry(): () => void {
    this.urgent += 1;
    return () => {
      this.urgent -= 1;
    };
  }

  /** As `Line.next()`. Those of high priority go first, but for every other request. */
  async next(maxEvents: number, isNewest: boolean = false): Promise<Parcel | undefined> {
    if (this.#options.isShut()) return undefined;
    for (const line of this.#wasHigh ? [...this.lines].reverse() : this.lines) {
      const parcel = await line.next(maxEvents, isNewest);
      this.#wasHigh = parcel?.isHigh === true;
      if (parcel) return parcel;
    }
    return undefined;
  }

  /** How long until all events of a parcel are too old, in milliseconds. Undefined if they never are. */
  expiresInMs({ contents }: Parcel): number | undefined {
    if (this.#maxAgeMs === Number.POSITIVE_INFINITY) return undefined;
    const newest = contents.timeOf(contents.count - 1);
    if (newest === undefined) return undefined;
    const leftMs = Math.max(0, newest + this.#maxAgeMs + 1 - this.#options.clock.now());
    // Too long for a timer, as after the clock was set back: the next request asks again.
    return leftMs > MAX_TIMER_MS ? undefined : leftMs;
  }

  /** Drops the events that are too old. Never rejects. */
  async dropExpired(): Promise<void> {
    if (this.#maxAgeMs === Number.POSITIVE_INFINITY) return;
    if (this.pending === this.inFlight) return this.#expiry.cancel();
    const before = this.#options.clock.now() - this.#maxAgeMs;
    for (const line of this.lines) await line.dropExpired(before, (parcel) => this.end(parcel, 'expired'));
    this.#expiry.set(Math.min(this.#maxAgeMs / AGE_CHECKS, MAX_TIMER_MS));
  }

  /** As `Queue.cut()`. The sender has all parts. */
  cut(parcel: Parcel, ...indexes: readonly number[]): Parcel[] {
    const queue = this.#queueFor(parcel.isHigh);
    return queue.cut(parcel, ...indexes).map((part) => queue.taken(part));
  }

  divide(parcel: Parcel): Parcel[] {
    return this.#queueFor(parcel.isHigh).divide(parcel);
  }

  putBack(parcel: Parcel, place: Place): void {
    this.#queueFor(parcel.isHigh).putBack(parcel, place);
  }

  /** The service is back: leaves old events to the journal, so that new events need not wait for them. */
  leaveToJournal(): void {
    const { maxBytes, maxEvents } = this.#options.settings.batch;
    if (!this.#isStrict)
      this.#leaveToJournal({ maxEvents: FRESH_BATCHES * maxEvents, maxBytes: FRESH_BATCHES * maxBytes });
  }

  /**
   * The events of a parcel have ended: releases them from the journal, counts and reports them. Never rejects.
   *
   * @param isUnused Whether nobody reads the body any more. Then its memory may be used again.
   */
  async end(parcel: Parcel, fate: Fate, isUnused: boolean = false): Promise<void> {
    const { count, isHanded, places } = parcel;
    const queue = this.#queueFor(parcel.isHigh);
    parcel.isEnded = true;
    // Nobody waits for it to be written any more.
    queue.changed(parcel);
    await this.#acknowledge(places.ranges);
    queue.ended(parcel);
    this.epochs.settle(parcel);
    this.#options.reporter.settled(fate, count);
    if (isUnused && !isHanded) parcel.contents.release();
  }

  /**
   * Consent is denied: all that waits ends now. A batch in a request ends with its request, whatever the answer. If the process ends
   * before, the next one must not find it.
   */
  async purge(): Promise<void> {
    this.#consent.abort();
    this.#consent = new AbortController();
    const gone = [...this.all()].flatMap(({ places }) => places.ranges);
    const { journal, reporter } = this.#options;
    this.forsakeRequests();
    reporter.settled('denied', this.drop());
    await this.#acknowledge(gone);
    // Nothing is appended any more that would end the last file.
    await (async () => journal.reclaim?.())().catch(reporter.storageFailed);
  }

  stopBatches(): void {
    for (const line of this.lines) line.stop();
    this.#expiry.stop();
  }

  #leaveToJournal(limit: Limit, leastBytes: number = 0): void {
    for (const queue of this.queues) queue.leaveToJournal(limit, leastBytes);
  }

  async #acknowledge(ranges: readonly Range[]): Promise<void> {
    const { journal, reporter } = this.#options;
    // If a release fails, a later process may send the events again.
    // A custom journal may throw.
    const released = ranges.map(async (range) => journal.acknowledge(range));
    await Promise.all(released.map((done) => done.catch(reporter.storageFailed)));
  }

  #queueFor(isHigh: boolean): Queue {
    if (!isHigh) return this.#normal.queue;
    if (!this.#high) {
      this.#high = this.#lineOf(true);
      this.lines.unshift(this.#high);
    }
    return this.#high.queue;
  }

  #lineOf(isHigh: boolean): Line {
    const line: LineOptions = {
      ...this.#options,
      memory: this.#memory,
      epochs: this.epochs,
      denied: () => this.denied,
      isUrgent: () => this.urgent > 0,
      sendsUnwritten: () => this.commit.sendsUnwritten,
      damaged: async (range) => {
        const { givingUp } = this.commit.budget;
        // A journal that gives up a segment ends the events itself, or they are found again.
        if (givingUp) return void (await givingUp.catch(() => undefined));
        this.#options.reporter.settled('damaged', this.drop(range));
        await this.#acknowledge([range]);
      },
    };
    return new Line(line, isHigh);
  }
}
