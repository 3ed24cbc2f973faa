import { StorageError } from '../base/errors/storage-error.ts';
import type { EventBytes } from '../base/event-bytes.ts';
import type { Fate } from '../base/fate.ts';
import type { Range } from '../base/range.ts';
import { Budget, type BudgetOptions } from '../keep/budget.ts';
import { GroupCommit } from '../keep/group-commit.ts';
import { syncCopies } from '../keep/journal.ts';
import type { Reporter } from '../tell/reporter.ts';
import { AgeLimit } from './bounds/age-limit.ts';
import { rescue } from './bounds/rescue.ts';
import type { Memory } from './contents.ts';
import { halvesOf } from './lanes/halves.ts';
import { Line, type LineOptions } from './line.ts';
import type { Parcel } from './parcel.ts';
import { Parcels } from './parcels.ts';
import type { Place } from './queue.ts';

/** When the service is back, this many batches stay in memory. The rest is left to the journal. */
const FRESH_BATCHES = 2;

/** What differs from line to line, or is made here. */
type Own = 'isHigh' | 'memory' | 'epochs' | 'isUrgent' | 'sendsUnwritten' | 'damaged' | 'reporter';

interface WaitingOptions extends Omit<LineOptions, Own> {
  readonly random: () => number;
  /** How long an event may wait in memory for others to be written with, in milliseconds. */
  readonly commitIntervalMs: number;
  /** Limits of what waits. */
  readonly storage: BudgetOptions['storage'] & { readonly maxAgeMs?: number | undefined };
  readonly opened: BudgetOptions['opened'];
  /** Whether nothing may be sent now. */
  readonly isShut: () => boolean | undefined;
  /** The journal failed. Events are sent from memory meanwhile. */
  readonly onFailed: (error: unknown) => void;
  /** The journal works again. */
  readonly onRecovered: () => void;
  readonly reporter: Pick<Reporter, 'settled' | 'storageFailed'>;
}

/** All that waits to be sent, and what the sender has of it. */
export class Waiting extends Parcels {
  readonly commit: GroupCommit;
  readonly #memory: Memory;
  readonly #options: WaitingOptions;
  readonly #ageLimit: AgeLimit;
  readonly #normal: Line;
  /** Made with the first event of high priority. Such events go first, and wait for no others. */
  #high: Line | undefined;
  #consent = new AbortController();
  /** How many wait for all events, so that these need not wait for others. */
  urgent = 0;

  constructor(options: WaitingOptions) {
    const { journal, onDue, onFailed, storage, text } = options;
    super();
    this.#options = options;
    this.#memory = text.createMemory();
    const { maxAgeMs = Number.POSITIVE_INFINITY } = storage;
    this.#ageLimit = new AgeLimit({
      ...options,
      maxAgeMs,
      lines: this.lines,
      sendsUnwritten: () => this.commit.sendsUnwritten,
      end: (parcel) => this.end(parcel, 'expired'),
    });
    this.#normal = this.#lineOf(false);
    this.lines.push(this.#normal);
    this.commit = new GroupCommit({
      ...options,
      waiting: this,
      budget: new Budget({
        ...options,
        evict: (segment) => this.evict(segment),
        rescue: (segment) => rescue(segment, this, journal, onFailed),
        isOver: () => this.isGivenUp,
      }),
      onChange: () => {
        // There is memory for written events up to a limit: older ones are left to the journal.
        for (const { queue } of this.lines)
          queue.leaveToJournal({ maxEvents: Number.POSITIVE_INFINITY, maxBytes: text.mostWrittenBytes });
        onDue();
      },
    });
  }

  /** Accepts an event. Returns false if there is no room for it. */
  push(text: string, at: number, isHigh: boolean, customer: string): boolean {
    const { queue } = this.#lineFor(isHigh && !this.#options.isStrict && !this.#options.isOrdered);
    if (!queue.push(text, at, customer)) return false;
    this.epochs.enter(1);
    return true;
  }

  /** The journal has events of a previous process. */
  recovered(range: Range, at?: number): void {
    this.epochs.enter(range.to - range.from);
    this.#normal.queue.recover(range, at);
  }

  /**
   * Writes events that were kept elsewhere, dead letters or held events, and lets them wait. Resolves once the journal holds them
   * as safely as it holds any. Rejects with a StorageError if it does not: then none of them waits.
   *
   * @param count Called as soon as they wait, so that they count once at every moment.
   */
  async replay(events: EventBytes, count: () => void): Promise<void> {
    const range = await this.commit.put(events);
    if (!range) throw new StorageError('events stay where they are: the journal fails or is full');
    await syncCopies(this.#options.journal, range);
    this.recovered(range, events.times?.[0]);
    count();
  }

  /** Resolves to true once all that is accepted by now is written; to false if the journal fails: then it is sent from memory. */
  commitAll(): Promise<boolean> {
    return this.commit.write(this.mark());
  }

  /** From now on, until the returned function is called, events need not wait for others. */
  hurry(): () => void {
    this.urgent += 1;
    return () => {
      this.urgent -= 1;
    };
  }

  /** Whether anything may be sent that the sender does not have, due or not. */
  get hasOthers(): boolean {
    return this.#open.some(({ hasFree }) => hasFree);
  }

  /** Aborts when consent is denied to send what is taken now. */
  get denied(): AbortSignal {
    return this.#consent.signal;
  }

  /** Takes what should be sent next, at most `maxEvents` events. Undefined if nothing is due. Never rejects. */
  async next(maxEvents: number): Promise<Parcel | undefined> {
    for (const line of this.#open) {
      const parcel = await line.next(maxEvents);
      if (parcel) return parcel;
    }
    return undefined;
  }

  /** How long until all events of a parcel are too old, in milliseconds. Undefined if they never are. */
  expiresInMs(parcel: Parcel): number | undefined {
    return this.#ageLimit.expiresInMs(parcel);
  }

  /** Drops the events that are too old. Never rejects. */
  async dropExpired(): Promise<void> {
    await this.#ageLimit.dropExpired();
  }

  /** Replaces a parcel by its parts, cut before the events with these indexes. Leaves out empty parts. */
  cut(parcel: Parcel, ...indexes: readonly number[]): Parcel[] {
    if (!indexes.some((index) => index > 0 && index < parcel.count)) return [parcel];
    const { queue } = this.#lineFor(parcel.isHigh);
    const parts: Parcel[] = [];
    let from = 0;
    for (const to of [...indexes, parcel.count]) {
      if (to > from) parts.push(queue.taken(parcel.cut({ from, to })));
      from = Math.max(from, to);
    }
    queue.ended(parcel);
    return parts;
  }

  /** Replaces a parcel by two, each with all events of its customers. By one, if there is only one customer. */
  divide(parcel: Parcel): Parcel[] {
    const { queue } = this.#lineFor(parcel.isHigh);
    queue.ended(parcel);
    return halvesOf(parcel).map((events) => queue.join(events));
  }

  /** Puts a parcel back. */
  putBack(parcel: Parcel, place: Place): void {
    this.#lineFor(parcel.isHigh).queue.putBack(parcel, place);
  }

  /** The service is back: leaves old events to the journal, so that new events need not wait for them. */
  leaveToJournal(): void {
    const { batch, isStrict } = this.#options;
    if (!isStrict)
      for (const { queue } of this.lines)
        queue.leaveToJournal({
          maxEvents: FRESH_BATCHES * batch.maxEvents,
          maxBytes: FRESH_BATCHES * batch.maxBytes,
        });
  }

  /**
   * The events of a parcel have ended: releases them from the journal, counts and reports them. Never rejects.
   *
   * @param isUnused Whether nobody reads the body any more. Then its memory may be used again.
   */
  async end(parcel: Parcel, fate: Fate, isUnused: boolean = false): Promise<void> {
    const { count, isHanded, places } = parcel;
    const { queue } = this.#lineFor(parcel.isHigh);
    parcel.isEnded = true;
    // Nobody waits for it to be written any more.
    queue.changed(parcel);
    await this.acknowledge(places.ranges);
    queue.ended(parcel);
    this.epochs.settle(parcel);
    this.#options.reporter.settled(fate, count);
    if (isUnused && !isHanded) parcel.contents.release();
  }

  async acknowledge(ranges: readonly Range[]): Promise<void> {
    const { journal, reporter } = this.#options;
    // If a release fails, a later process may send the events again.
    await Promise.all(ranges.map((range) => journal.acknowledge(range).catch(reporter.storageFailed)));
  }

  /** Consent is denied: all that waits ends here; a batch in a request with that, whatever comes of it. */
  async purge(): Promise<void> {
    this.#consent.abort();
    this.#consent = new AbortController();
    const parcels = this.lines.flatMap(({ queue }) => queue.parcels());
    const gone = parcels.flatMap(({ places }) => places.ranges);
    this.#options.reporter.settled('denied', this.drop());
    await this.acknowledge(gone);
  }

  stopBatches(): void {
    for (const line of this.lines) line.stop();
    this.#ageLimit.stop();
  }

  /** The lines of which something may be sent now. */
  get #open(): readonly Line[] {
    return this.#options.isShut() ? [] : this.lines;
  }

  #lineFor(isHigh: boolean): Line {
    if (!isHigh) return this.#normal;
    if (!this.#high) {
      this.#high = this.#lineOf(true);
      this.lines.unshift(this.#high);
    }
    return this.#high;
  }

  #lineOf(isHigh: boolean): Line {
    const { reporter } = this.#options;
    return new Line({
      ...this.#options,
      isHigh,
      memory: this.#memory,
      epochs: this.epochs,
      isUrgent: () => this.urgent > 0,
      sendsUnwritten: () => this.commit.sendsUnwritten,
      damaged: async (range) => {
        reporter.settled('damaged', this.drop(range));
        await this.acknowledge([range]);
      },
    });
  }
}
