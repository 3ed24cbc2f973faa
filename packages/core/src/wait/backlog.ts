import type { EventBytes, Limit } from '../base/event-bytes.ts';
import { type Range, rangeLength } from '../base/range.ts';
import { type EpochRange, RangeQueue } from '../base/range-queue.ts';
import type { Reading } from '../keep/journal.ts';
import { type Batch, joinBatch } from './batch.ts';
import type { Bodies } from './body-memory.ts';
import { Epochs } from './epochs.ts';
import { RingBuffer, type TextWriter } from './ring-buffer.ts';

/** The segment of events that no journal holds, because storage failed: they live in memory alone. */
export const MEMORY_SEGMENT = 0;
/** The segment of events that were dropped where they cannot be taken out: in the middle of the ring. */
const DROPPED_SEGMENT = -1;
/** What is not written is written at once when it fills a block, or takes such a part of the memory. */
const PRESSING_PART = 8;
/** How many events move out of a full ring at once: enough to be rare, few enough not to be felt in track(). */
const SPILL_EVENTS = 512;

/** Where a batch goes that waits again. */
export type Place = 'last' | 'first' | 'aside';

/**
 * Everything that waits. The ring holds the newest events, oldest first: those already written to the journal, then
 * those that are not. What the ring could not hold, and what earlier lives left, is stored in the journal alone.
 */
export class Backlog {
  readonly epochs: Epochs = new Epochs();
  /** What was taken and has not met its end. */
  readonly batches: Set<Batch> = new Set();
  /** What its batches lie in. */
  readonly bodies: Bodies;
  readonly #limit: Limit;
  readonly #mostWrittenBytes: number;
  readonly #pressingBytes: number;
  readonly #ring: RingBuffer;
  readonly #written = new RangeQueue();
  readonly #stored = new RangeQueue();
  /** Of what is stored: batches that were sent without success, and wait until the service is better. */
  readonly #aside = new RangeQueue();
  #accepted = 0;
  #inFlight = 0;
  #inMemoryTotal = 0;
  #memoryOnly = 0;
  /** Events in the ring that were dropped. */
  #holes = 0;
  #givenUp = 0;
  /** Whether events are sent though they are not written, because the journal fails. */
  sendsUnwritten = false;

  constructor(limit: Limit, writer: TextWriter) {
    this.#limit = limit;
    this.#mostWrittenBytes = writer.mostWrittenBytes;
    this.#pressingBytes = Math.min(writer.blockBytes, limit.maxBytes / PRESSING_PART);
    this.#ring = new RingBuffer(limit, writer);
    this.bodies = writer.createBodies();
  }

  /** Events that wait, in whatever place, batches in flight included. */
  get pending(): number {
    return this.#ring.length - this.#holes + this.stored + this.#inFlight - this.#givenUp;
  }

  /** Events accepted but not in the journal yet. */
  get unwritten(): number {
    return this.#ring.length - this.#written.count;
  }

  /**
   * Whether there is enough to be written for a write of its own, or so much that the memory may become too small.
   *
   * @param handed How many of the oldest unwritten events are being written already.
   * @param times Whether there is as much as so many times that.
   */
  isPressing(handed = 0, times = 1): boolean {
    const { length, roughBytes } = this.#ring;
    const unwritten = (length - this.#written.count - handed) / times;
    return (
      unwritten * PRESSING_PART >= this.#limit.maxEvents ||
      unwritten * roughBytes >= this.#pressingBytes * length
    );
  }

  /** Events that no journal holds: they end with the process. */
  get volatile(): number {
    return this.unwritten + this.#memoryOnly;
  }

  /** Of these, those that are not to be written any more. */
  get memoryOnly(): number {
    return this.#memoryOnly;
  }

  /** Events in memory that may be sent: those that are written, and the others too where the journal fails. */
  get fresh(): number {
    return (this.sendsUnwritten ? this.#ring.length : this.#written.count) - this.#holes;
  }

  /** Events that only the journal holds. */
  get stored(): number {
    return this.#stored.count + this.#aside.count;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** Bytes of the events in memory, batches in flight not counted. */
  get bytes(): number {
    return this.#ring.bytes;
  }

  /** Bytes of the oldest event in memory; there must be one. */
  get oldestBytes(): number {
    return this.#ring.peek(0, { maxEvents: 1, maxBytes: 1 }).bytes.length;
  }

  /** When the oldest event in memory was accepted. */
  get oldestAt(): number | undefined {
    return this.#ring.oldestAt;
  }

  /** When the oldest event of all that wait was accepted, or a time before that, as far as it is known. */
  get oldestOfAllAt(): number | undefined {
    const taken = Array.from(this.batches, ({ range }) => range);
    const times = [...taken, ...this.#stored.ranges, ...this.#aside.ranges].map(({ at }) => at);
    const oldest = times.reduce<number>(
      (least, at = least) => Math.min(least, at),
      this.#ring.oldestAt ?? Number.POSITIVE_INFINITY,
    );
    return oldest < Number.POSITIVE_INFINITY ? oldest : undefined;
  }

  /** Events ever accepted, and of these, ever written: a mark to wait for. */
  get accepted(): number {
    return this.#accepted;
  }

  get written(): number {
    return this.#accepted - this.unwritten;
  }

  /** Accepts an event. False where neither the ring has room nor anything in it can be left to the journal. */
  push(text: string, at: number): boolean {
    while (!this.#ring.push(text, at)) {
      if (!this.#spill()) return false;
    }
    this.#accepted += 1;
    return true;
  }

  /** Leaves to the journal all but the newest `most` of what is written, so that what comes later need not wait behind it. */
  leaveToJournal(most: number): void {
    while (this.#spill(this.#written.count - most));
  }

  /**
   * The oldest events that are not written, behind `skip` others, as they lie in the ring; they stay there until
   * `markWritten`.
   */
  unwrittenGroup(limit: Limit, skip = 0): EventBytes | undefined {
    return this.unwritten <= skip ? undefined : this.#ring.peek(this.#written.count + skip, limit);
  }

  /** When the oldest unwritten event behind `skip` others was accepted; undefined where there is none. */
  unwrittenAt(skip: number): number | undefined {
    return this.unwritten <= skip ? undefined : this.#ring.timeOf(this.#written.count + skip);
  }

  /** The journal now holds the oldest unwritten events. */
  markWritten(range: Range): void {
    const count = rangeLength(range);
    this.#written.push({ ...range, epoch: this.epochs.enter(count) });
    this.leaveToJournal(this.#mostWritten);
  }

  /** The oldest `count` unwritten events go on without a journal. */
  markMemoryOnly(count: number): void {
    this.markWritten(this.#inMemory({ segment: MEMORY_SEGMENT, from: 0, to: count }));
  }

  /** The oldest `count` unwritten events end here. */
  dropUnwritten(count: number): void {
    this.#holes += count;
    const { current } = this.epochs;
    this.#written.push({ segment: DROPPED_SEGMENT, from: 0, to: count, epoch: current });
    this.#closeHoles();
  }

  /**
   * The journal no longer has a segment: what waits in it ends here. What is in flight of it goes on in memory.
   * Returns how many ended.
   */
  evict(segment: number): number {
    const gone = { segment, from: 0, to: Number.POSITIVE_INFINITY };
    this.#loseInFlight(gone);
    return this.end(gone);
  }

  /** A range is gone from storage: what memory holds of it goes on without a journal. Returns how many others ended. */
  lose(gone: Range): number {
    this.#loseInFlight(gone);
    this.#written.cut(gone, (part) => this.#inMemory(part));
    return this.end(gone);
  }

  /** What waits of a range ends here, what is in flight of it does not. Returns how many events ended. */
  end(gone: Range): number {
    const settle = ({ epoch, from, to }: EpochRange): undefined => {
      this.epochs.settle(epoch, to - from);
    };
    const holes = this.#written.cut(gone, (part) => {
      settle(part);
      return { ...part, segment: DROPPED_SEGMENT };
    });
    const count = holes + this.#stored.cut(gone, settle) + this.#aside.cut(gone, settle);
    this.#holes += holes;
    if (gone.segment === MEMORY_SEGMENT) this.#memoryOnly -= count;
    this.#closeHoles();
    return count;
  }

  /**
   * What is stored in a range, all of it, is gone from storage, but in memory: it is in flight from now on. Returns where it is
   * known now.
   */
  takeLost(gone: Range): EpochRange {
    const taken = this.#inMemory({ ...gone, epoch: this.epochs.current });
    const take = ({ epoch, at }: EpochRange): undefined => {
      Object.assign(taken, { epoch, at });
    };
    for (const queue of [this.#stored, this.#aside]) queue.cut(gone, take);
    this.#inFlight += rangeLength(taken);
    return taken;
  }

  /** What waits in a segment, or in all that there are, batches in flight not counted. */
  waitingIn(segment?: number): EpochRange[] {
    const queues = [this.#stored, this.#aside, this.#written];
    const waiting = queues
      .flatMap(({ ranges }) => ranges)
      .filter((range) => range.segment !== DROPPED_SEGMENT);
    return segment === undefined ? waiting : waiting.filter((range) => range.segment === segment);
  }

  /**
   * Events of a range that wait are known by their place in another one from now on. Returns the rest of that one: the place
   * of those that do not wait any more.
   */
  move(range: Range, target: Range): Range[] {
    const rest = new RangeQueue();
    rest.push({ ...target, epoch: 0 });
    const offset = target.from - range.from;
    const move = (part: EpochRange) => {
      const moved = { ...part, segment: target.segment, from: part.from + offset, to: part.to + offset };
      rest.cut(moved);
      return moved;
    };
    for (const queue of [this.#stored, this.#aside, this.#written]) queue.cut(range, move);
    if (range.segment === MEMORY_SEGMENT) this.#memoryOnly -= rangeLength(target) - rest.count;
    return rest.ranges;
  }

  /** How many of the oldest fresh events were accepted before a moment, as far as a batch goes. */
  freshBefore(time: number, limit: Limit): number {
    if (this.fresh === 0 || (this.oldestAt ?? time) >= time) return 0;
    const { times } = this.#ring.peek(0, { ...limit, maxEvents: Math.min(limit.maxEvents, this.fresh) });
    const count = times?.findIndex((at) => at >= time) ?? 0;
    return count < 0 ? (times?.length ?? 0) : count;
  }

  /** The journal holds events of an earlier life. */
  addRecovered(range: Range, at?: number): void {
    this.#stored.push({ ...range, epoch: this.epochs.enter(rangeLength(range)), at });
  }

  /** Takes the oldest fresh events out of the ring as a batch; there must be one. */
  takeFresh(limit: Limit): Batch {
    if (this.#written.count === 0) this.markMemoryOnly(this.#ring.peek(0, limit).ends.length);
    const first = this.#written.peek();
    const most = Math.min(limit.maxEvents, first === undefined ? 0 : rangeLength(first));
    const groups: EventBytes[] = [];
    let count = 0;
    for (let left = limit.maxBytes; count < most; ) {
      const group = this.#ring.peek(count, { maxEvents: most - count, maxBytes: left });
      left -= group.bytes.length + 1;
      if (count > 0 && left < -1) break;
      groups.push(group);
      count += group.ends.length;
    }
    const range = { ...this.#written.shift(count), at: this.#ring.oldestAt };
    const batch = joinBatch(groups, range, this.bodies);
    this.#ring.shift(count);
    this.#closeHoles();
    return this.#take(batch);
  }

  /** The oldest events that only the journal holds; or the batch that was put aside first. */
  peekStored(isAside = false): EpochRange | undefined {
    return this.#queue(isAside).peek();
  }

  /** Puts the oldest stored range behind all others. */
  rotateStored(isAside = false): void {
    const queue = this.#queue(isAside);
    const first = queue.peek();
    if (first !== undefined) queue.push(queue.shift(rangeLength(first)));
  }

  /** Takes the first of these, as they were read from the journal. */
  takeStored({ events, range }: Reading, isAside = false): Batch {
    const taken = this.#queue(isAside).shift(rangeLength(range));
    return this.#take(joinBatch([events], taken, this.bodies));
  }

  /**
   * A batch goes back, to be read again: behind all that is stored, before it, or aside, where it is left as it is until the
   * service is better. False where no journal holds it.
   */
  putBack(batch: Batch, place: Place = 'last'): boolean {
    const { range } = batch;
    if (range.segment === MEMORY_SEGMENT) return false;
    this.#letGo(batch);
    const isWhole = place === 'aside';
    if (place === 'first') this.#stored.unshift({ ...range, isWhole });
    else this.#queue(isWhole).push({ ...range, isWhole });
    return true;
  }

  /** What was put aside goes back, before all that is stored. */
  putAllBack(): void {
    for (const range of this.#aside.ranges.reverse()) this.#stored.unshift({ ...range, isWhole: false });
    this.#aside.replace(() => []);
  }

  /** The oldest events in the ring that go on without a journal, though it may work again. */
  memoryGroup(limit: Limit): Reading | undefined {
    return this.inRing(MEMORY_SEGMENT, limit).next().value;
  }

  /** What of a segment is in the ring, as it lies there, in groups within the limit. */
  *inRing(segment: number, limit: Limit): Generator<Reading, undefined> {
    let before = 0;
    for (const range of this.#written.ranges) {
      for (let { from } = range; range.segment === segment && from < range.to; ) {
        const maxEvents = Math.min(limit.maxEvents, range.to - from);
        const events = this.#ring.peek(before + from - range.from, { ...limit, maxEvents });
        const to = from + events.ends.length;
        yield { events, range: { segment, from, to } };
        from = to;
      }
      before += rangeLength(range);
    }
  }

  /** The journal has a batch in another place, or has it now, though it was in memory alone. */
  moveInFlight(batch: Batch, { segment, from, to }: Range): void {
    const { range } = batch;
    if (range.segment === MEMORY_SEGMENT) this.#memoryOnly -= rangeLength(range);
    batch.range = { ...range, segment, from, to };
  }

  /** The events of a batch, or a part of it, are delivered, dead letters, or dropped. */
  settle(batch: Batch): void {
    const { range } = batch;
    const count = rangeLength(range);
    this.#letGo(batch);
    if (range.segment === MEMORY_SEGMENT) this.#memoryOnly -= count;
    this.epochs.settle(range.epoch, count);
  }

  /** Nothing will become of `count` events any more: they wait no longer. */
  giveUp(count: number): void {
    this.#givenUp += count;
  }

  #take(batch: Batch): Batch {
    this.#inFlight += rangeLength(batch.range);
    this.batches.add(batch);
    return batch;
  }

  #queue(isAside: boolean): RangeQueue {
    return isAside ? this.#aside : this.#stored;
  }

  /** A batch, or a part of one, is not under way any more. */
  #letGo(batch: Batch): void {
    this.#inFlight -= rangeLength(batch.range);
    this.batches.delete(batch);
  }

  /** How many events that are written already may take room in memory. */
  get #mostWritten(): number {
    return Math.ceil((this.#mostWrittenBytes * this.#ring.length) / Math.max(1, this.#ring.bytes));
  }

  #loseInFlight({ segment, from, to }: Range): void {
    for (const batch of this.batches) {
      const { range } = batch;
      if (range.segment === segment && range.from < to && range.to > from)
        batch.range = this.#inMemory(range);
    }
  }

  /** The place of events, of whatever place, that are in memory alone from now on. */
  #inMemory<Place extends Range>(range: Place): Place {
    const from = this.#inMemoryTotal;
    const count = rangeLength(range);
    this.#inMemoryTotal += count;
    this.#memoryOnly += count;
    return { ...range, segment: MEMORY_SEGMENT, from, to: from + count };
  }

  /** Takes what was dropped out of the ring, as far as it is oldest. */
  #closeHoles(): void {
    for (let first = this.#written.peek(); first?.segment === DROPPED_SEGMENT; first = this.#written.peek()) {
      const count = rangeLength(this.#written.shift(rangeLength(first)));
      this.#ring.shift(count);
      this.#holes -= count;
    }
  }

  /** Leaves the oldest written events to the journal. False where there are none that a journal holds. */
  #spill(most: number = SPILL_EVENTS): boolean {
    const first = this.#written.peek();
    if (first === undefined || first.segment === MEMORY_SEGMENT || most <= 0) return false;
    const count = Math.min(most, rangeLength(first));
    this.#stored.push({ ...this.#written.shift(count), at: this.#ring.oldestAt });
    this.#ring.shift(count);
    this.#closeHoles();
    return true;
  }
}
