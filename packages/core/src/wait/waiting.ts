import type { Clock } from '@sluice/protocol/toolbox';
import { StorageError, storageError } from '../base/errors/storage-error.ts';
import type { EventBytes, Limit } from '../base/event-bytes.ts';
import type { Fate } from '../base/fate.ts';
import type { Range } from '../base/range.ts';
import type { GroupCommit } from '../keep/group-commit.ts';
import { type Journal, MOST_HOLD_MS } from '../keep/journal.ts';
import type { SizeLimit } from '../pace/limits.ts';
import type { Reporter } from '../tell/reporter.ts';
import { Batcher, type Expiry, type ExpiryOptions, type Line } from './batcher.ts';
import type { Memory, TextWriter } from './contents.ts';
import { type Parcel, storedParcel } from './parcel.ts';
import { Parcels } from './parcels.ts';
import { type Place, Queue } from './queue.ts';
import { Reader } from './reader.ts';
import { entryOf, UnwrittenEvents } from './unwritten.ts';

/** When the service is back, this many batches stay in memory. The rest is left to the journal. */
const FRESH_BATCHES = 2;
/** A full ring buffer has at least this many parcels. */
const PARTS = 8;

export interface WaitingOptions {
  readonly journal: Journal;
  readonly text: TextWriter;
  readonly clock: Clock;
  /** Bounds of a ring buffer. */
  readonly buffer: Limit;
  /** Bounds of a batch, and how long an event may wait for others, in milliseconds. */
  readonly batch: Limit & { readonly maxWaitMs: number };
  readonly sizeLimit: Pick<SizeLimit, 'bytes'>;
  readonly isStrict: boolean;
  /** Undefined if events may get as old as they like. */
  readonly createExpiry: ((options: ExpiryOptions) => Expiry) | undefined;
  readonly createAbortController: () => AbortController;
  /** Creates the stage that writes to the journal. */
  readonly createCommit: (unwritten: UnwrittenEvents) => GroupCommit;
  /** Whether nothing may be sent now. */
  readonly isShut: () => boolean;
  /** There may be something to send. */
  readonly onDue: () => void;
  readonly reporter: Pick<Reporter, 'settled' | 'storageFailed'>;
}

/** All that waits to be sent, and what the sender has of it. */
export class Waiting extends Parcels {
  readonly commit: GroupCommit;
  readonly memory: Memory;
  readonly #options: WaitingOptions;
  readonly #normal: Line;
  /** Made with the first event of high priority. Such events go first, and wait for no others. */
  #high: Line | undefined;
  #consent: AbortController;
  #isUrgent = 0;

  constructor(options: WaitingOptions) {
    const { text, createAbortController } = options;
    super();
    this.#options = options;
    this.memory = text.createMemory();
    this.#consent = createAbortController();
    this.#normal = this.#lineOf(false);
    this.lines.push(this.#normal);
    this.commit = options.createCommit(new UnwrittenEvents(this.lines));
  }

  /** Accepts an event. Returns false if there is no room for it. */
  push(text: string, at: number, isHigh: boolean): boolean {
    const { queue } = isHigh && !this.#options.isStrict ? this.#highLine : this.#normal;
    if (!queue.push(text, at)) return false;
    this.epochs.enter(1);
    return true;
  }

  /** The journal has events of a previous process or page. */
  recovered(range: Range, at?: number): void {
    const count = range.to - range.from;
    this.epochs.enter(count);
    this.#normal.queue.old.push(storedParcel(range, this.epochs.current, false, at));
  }

  /**
   * Writes events that were kept elsewhere, dead letters or held events, and lets them wait. Resolves once the journal holds them
   * as safely as it holds any. Rejects with a StorageError if it does not: then none of them waits.
   */
  async replay(events: EventBytes): Promise<void> {
    const { journal } = this.#options;
    const range = await this.commit.put(events);
    if (range === undefined) {
      throw new StorageError('events stay where they are: the journal fails or is full');
    }
    try {
      await journal.sync();
    } catch (cause) {
      await journal.acknowledge(range).catch(() => undefined);
      throw storageError('events stay where they are', cause);
    }
    this.recovered(range, events.times?.[0]);
  }

  /** Resolves once all that is accepted by now is written; to false if the journal fails, or did not take something. */
  async write(): Promise<boolean> {
    return this.commit.write(this.mark());
  }

  /** Resolves once all that is accepted by now is written, or can be sent from memory. */
  commitAll(): Promise<void> {
    return this.commit.commit(this.mark());
  }

  /** Ends an epoch. The returned function resolves once all events of before are settled, or the signal aborts. */
  turn(): (over: AbortSignal) => Promise<void> {
    const epoch = this.endEpoch();
    return (over) => this.epochs.settled(epoch, over);
  }

  /** From now on, until the returned function is called, events need not wait for others. */
  hurry(): () => void {
    this.#isUrgent += 1;
    return () => {
      this.#isUrgent -= 1;
    };
  }

  /** Whether something should be sent now. */
  get isDue(): boolean {
    return !this.#options.isShut() && this.lines.some(({ batcher }) => batcher.isDue);
  }

  /** Aborts when consent is denied to send what is taken now. */
  get denied(): AbortSignal {
    return this.#consent.signal;
  }

  /**
   * Takes what should be sent next, at most `maxEvents` events. Undefined if nothing is due. Never rejects.
   *
   * @param takesAside Whether what is aside may be sent again. Called only if there is something aside.
   */
  async next(maxEvents: number, takesAside: () => boolean): Promise<Parcel | undefined> {
    for (const { batcher, queue } of this.#open) {
      const isAside = queue.aside.count > 0 && takesAside();
      const parcel = await this.#next(batcher, maxEvents, isAside);
      if (parcel) return parcel;
    }
    return undefined;
  }

  /**
   * Takes the oldest events that are in memory, due or not. Undefined if there are none, or none that may be sent now. Those that
   * are not written are given to the journal before this returns.
   *
   * @param maxBytes Maximum size of the body.
   * @param isLeft Whether the page will be gone: no answer will be seen, so other tabs need not wait for it.
   * @param isShared Whether another tab may be sending what the journal holds. Such events stay where they are.
   */
  takeNow(maxBytes: number, isLeft: boolean, isShared: boolean): Parcel | undefined {
    const { isStrict } = this.#options;
    for (const { batcher, queue } of this.#open) {
      if (isStrict && queue.stored > 0) continue;
      if (isShared && this.commit.isWriting) continue;
      if (isShared) queue.leaveToJournal(0);
      const { first } = queue;
      const limit = batcher.limit(Number.POSITIVE_INFINITY, maxBytes);
      // What is being written is not cut: it would be written again.
      const least = first?.isHanded ? first.count : 1;
      if (first && first.contents.slice(0, least).bytes.length > limit.maxBytes) continue;
      const parcel = queue.takeFresh(limit, true);
      if (parcel === undefined) continue;
      const entry = entryOf(queue, parcel, { maxEvents: parcel.count, maxBytes: Number.POSITIVE_INFINITY });
      if (entry) this.commit.writeOne(entry, isLeft ? 0 : MOST_HOLD_MS);
      return parcel;
    }
    return undefined;
  }

  /** How long until all events of a parcel are too old, in milliseconds. Undefined if they never are. */
  expiresInMs(parcel: Parcel): number | undefined {
    return this.#normal.expiry?.expiresInMs(parcel);
  }

  /** Drops the events that are too old. Never rejects. */
  async dropExpired(): Promise<void> {
    for (const { batcher, expiry } of this.lines) {
      if (batcher.isHeld || batcher.isStopped) continue;
      try {
        await expiry?.dropExpired();
      } catch (error) {
        if (!batcher.isStopped) this.#hold(batcher, error);
      }
    }
  }

  /** Whether something else would be sent if this parcel went back. */
  hasOthers({ isHigh }: Parcel): boolean {
    const { queue } = this.#lineFor(isHigh);
    return queue.fresh + queue.stored > 0;
  }

  /** Replaces a parcel by its parts, cut before the events with these indexes. Leaves out empty parts. */
  cut(parcel: Parcel, ...indexes: readonly number[]): Parcel[] {
    if (!indexes.some((index) => index > 0 && index < parcel.count)) return [parcel];
    const { queue } = this.#lineFor(parcel.isHigh);
    const ends = [...indexes, parcel.count];
    const parts: Parcel[] = [];
    let from = 0;
    for (const to of ends) {
      if (to > from) parts.push(queue.taken(parcel.cut({ from, to }, this.memory)));
      from = Math.max(from, to);
    }
    queue.ended(parcel);
    return parts;
  }

  /** Puts a parcel back. */
  putBack(parcel: Parcel, place: Place): boolean {
    // No event may overtake another.
    if (this.#options.isStrict && place !== 'first') return false;
    this.#lineFor(parcel.isHigh).queue.putBack(parcel, place);
    return true;
  }

  /** Other tabs may send next: what is aside goes back, before all others. */
  putAllBack(): void {
    for (const { queue } of this.lines) queue.putAllBack();
  }

  /** The service is back: leaves old events to the journal, so that new events need not wait for them. */
  leaveToJournal(): void {
    const { batch, isStrict } = this.#options;
    if (!isStrict) for (const { queue } of this.lines) queue.leaveToJournal(FRESH_BATCHES * batch.maxEvents);
  }

  /** There is memory for written events up to a limit: leaves older ones to the journal. */
  onWritten(): void {
    for (const { queue } of this.lines) queue.spillAbove(this.#options.text.mostWrittenBytes);
  }

  /**
   * The events of a parcel have ended: releases them from the journal, counts and reports them. Never rejects.
   *
   * @param isUnused Whether nobody reads the body any more. Then its memory may be used again.
   */
  async end(parcel: Parcel, fate: Fate, isUnused: boolean = false): Promise<void> {
    const { reporter } = this.#options;
    const { count, isHanded, places } = parcel;
    parcel.state = 'ended';
    await this.acknowledge(places.ranges, fate);
    this.#lineFor(parcel.isHigh).queue.ended(parcel);
    this.epochs.settle(parcel);
    reporter.settled(fate, count);
    if (isUnused && !isHanded) this.memory.give(parcel.contents.memory);
  }

  async acknowledge(ranges: readonly Range[], fate: Fate): Promise<void> {
    const { journal, reporter } = this.#options;
    // If a release fails, a later process or tab may send the events again.
    const release = (range: Range) => journal.acknowledge(range, fate).catch(reporter.storageFailed);
    await Promise.all(ranges.map(release));
  }

  /** Consent is denied: all that waits ends here; a batch in a request with that, whatever comes of it. */
  async purge(): Promise<void> {
    this.#consent.abort();
    this.#consent = this.#options.createAbortController();
    const gone: Range[] = [];
    let count = 0;
    for (const { queue } of this.lines) {
      for (const { places } of queue.parcels()) gone.push(...places.ranges);
      count += queue.drop();
    }
    this.#options.reporter.settled('denied', count);
    await this.acknowledge(gone, 'denied');
  }

  stopBatches(): void {
    for (const { batcher, expiry } of this.lines) {
      batcher.stop();
      expiry?.stop();
    }
  }

  async #next(batcher: Batcher, maxEvents: number, takesAside: boolean): Promise<Parcel | undefined> {
    try {
      return await batcher.next(maxEvents, takesAside);
    } catch (error) {
      if (batcher.isStopped) return undefined;
      this.#hold(batcher, error);
      return batcher.next(maxEvents);
    }
  }

  /** Stored events cannot be read now: tries again later. */
  #hold(batcher: Batcher, error: unknown): void {
    this.#options.reporter.storageFailed(error);
    batcher.holdStored();
  }

  /** The lines of which something may be sent now. */
  get #open(): readonly Line[] {
    return this.#options.isShut() ? [] : this.lines;
  }

  get #highLine(): Line {
    if (this.#high === undefined) {
      this.#high = this.#lineOf(true);
      this.lines.unshift(this.#high);
    }
    return this.#high;
  }

  /** A parcel fits one batch and one append. Several fit the ring buffer, so that it is written before it is full. */
  get #parcelLimit(): Limit {
    const { batch, buffer, journal } = this.#options;
    const { groupLimit } = journal;
    return {
      maxEvents: Math.min(batch.maxEvents, groupLimit.maxEvents, Math.ceil(buffer.maxEvents / PARTS)),
      maxBytes: Math.min(batch.maxBytes, groupLimit.maxBytes, Math.ceil(buffer.maxBytes / PARTS)),
    };
  }

  #lineFor(isHigh: boolean): Line {
    return isHigh ? this.#highLine : this.#normal;
  }

  #lineOf(isHigh: boolean): Line {
    const { batch, buffer, clock, isStrict, journal, onDue, reporter, sizeLimit, text } = this.#options;
    const { epochs, memory } = this;
    const queue = new Queue({ limit: buffer, parcel: this.#parcelLimit, isHigh, text, memory, epochs });
    const damaged = async (range: Range) => {
      reporter.settled('damaged', this.drop(range));
      await this.acknowledge([range], 'damaged');
    };
    const reader = new Reader({ queue, journal, damaged });
    const sendsUnwritten = () => this.commit.sendsUnwritten;
    const batcher = new Batcher({
      queue,
      reader,
      clock,
      limit: batch,
      sizeLimit,
      isStrict,
      maxWaitMs: isHigh ? 0 : batch.maxWaitMs,
      isUrgent: () => this.#isUrgent > 0,
      sendsUnwritten,
      onDue,
    });
    const end = (parcel: Parcel, fate: Fate) => this.end(parcel, fate);
    const expiry = this.#options.createExpiry?.({
      queue,
      reader,
      clock,
      limit: batch,
      sendsUnwritten,
      end,
      onDue,
    });
    return { queue, batcher, expiry };
  }
}
