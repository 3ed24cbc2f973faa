import type { Limit } from '../base/event-bytes.ts';
import type { Range } from '../base/range.ts';
import type { Memory } from './contents.ts';
import { Parcel } from './parcel.ts';
import { ParcelList } from './parcel-list.ts';
import { RingBuffer, type RingBufferOptions } from './ring-buffer.ts';

/** What was put back stays in memory up to this size, in bytes: storage may lose it. */
const MOST_KEPT_BYTES = 512 * 1024;

/**
 * Where a parcel goes that is not sent now: before all others, behind all others, or aside. What is aside waits, uncut, until the
 * service is better.
 */
export type Place = 'first' | 'last' | 'aside';

/** All that waits with one priority: the newest events in the ring buffer; older ones in the journal, and some in memory too. */
export class Queue {
  /** Parcels that were sent, or that only the journal has: they go before the ring buffer, or in turns with it. */
  readonly old: ParcelList = new ParcelList();
  /** Parcels that failed, and wait until the service is better. */
  readonly aside: ParcelList = new ParcelList();
  /** Taken from one of these, while they are being read. */
  reading: readonly Parcel[] = [];
  /** Parcels that the sender has. */
  readonly out: Set<Parcel> = new Set();
  /** Parcels outside of the ring buffer that may have unwritten events. */
  readonly loose: Set<Parcel> = new Set();
  /** Events in the ring buffer of which no append was started. */
  toWrite = 0;
  /** Number of events that were ever added. */
  pushed = 0;
  readonly #options: RingBufferOptions;
  readonly #ring: RingBuffer;
  /** Events in the ring buffer that were dropped. */
  #dropped = 0;
  /** Parcels that were put back lately: they are still in memory. */
  readonly #kept = new Set<Parcel>();

  constructor(options: RingBufferOptions) {
    this.#options = options;
    this.#ring = new RingBuffer(options);
  }

  get memory(): Memory {
    return this.#options.memory;
  }

  get isHigh(): boolean {
    return this.#options.isHigh;
  }

  /** Events in the ring buffer, those that were dropped included. */
  get length(): number {
    return this.#ring.length;
  }

  /** Events in the ring buffer. */
  get fresh(): number {
    return this.#ring.length - this.#dropped;
  }

  /** All other events. */
  get stored(): number {
    return this.old.count + this.aside.count + sum(this.reading, ({ count }) => count);
  }

  /** Bytes of the events in the ring buffer. */
  get bytes(): number {
    return this.#ring.bytes;
  }

  get roughBytes(): number {
    return this.#ring.roughBytes;
  }

  get ring(): Iterable<Parcel> {
    return this.#ring.parcels;
  }

  get first(): Parcel | undefined {
    return this.#ring.first;
  }

  /** All parcels that wait. */
  *parcels(): Generator<Parcel, undefined> {
    yield* this.old;
    yield* this.aside;
    yield* this.reading;
    yield* this.#ring.parcels;
  }

  /** Adds an event. Returns false if there is no room, and nothing can be left to the journal. */
  push(text: string, at: number): boolean {
    while (!this.#ring.push(text, at)) if (!this.spill()) return false;
    this.toWrite += 1;
    this.pushed += 1;
    return true;
  }

  /** Whether the journal has the events up to the `pushed`-th, as far as they are in the ring buffer. */
  isWritten(pushed: number): boolean {
    let left = this.length - (this.pushed - pushed);
    for (const { runs } of this.#ring.parcels) {
      if (left <= 0) break;
      const { unwritten, handed } = left < runs.length ? runs.slice(0, left) : runs;
      if (unwritten + handed > 0) return false;
      left -= runs.length;
    }
    return true;
  }

  /** Writes the newest events to their parcel: they belong to the current epoch. */
  write(): void {
    this.#ring.write();
  }

  /** Leaves the oldest events of the ring buffer to the journal. Returns false if it does not have them. */
  spill(): boolean {
    const { first } = this.#ring;
    const count = first?.runs.writtenFirst ?? 0;
    if (first === undefined || count === 0) return false;
    const { isHigh } = this.#options;
    if (count === first.runs.length) {
      this.#shift();
      this.#store(first);
      if (first.count > 0) this.old.push(first);
      return true;
    }
    const stored = new Parcel(first.runs.slice(0, count), isHigh);
    stored.at = first.at;
    stored.runs.compact();
    this.#shift();
    first.dropFirst(count);
    this.#unshift(first);
    if (stored.count > 0) this.old.push(stored);
    return true;
  }

  /** Leaves events to the journal as long as the ring buffer has more bytes than this. */
  spillAbove(bytes: number): void {
    while (this.roughBytes > bytes && this.spill());
  }

  /** Leaves events to the journal as long as the ring buffer has more events than this. */
  leaveToJournal(most: number): void {
    while (this.fresh > most && this.spill());
  }

  /**
   * Takes the oldest events of the ring buffer, as far as they may be sent and fit one batch; undefined if there are none.
   *
   * @param isUnwritten Whether events may be sent that the journal does not have.
   */
  takeFresh(limit: Limit, isUnwritten: boolean): Parcel | undefined {
    const { memory } = this.#options;
    this.#removeDropped();
    const { first } = this.#ring;
    const most = isUnwritten ? Number.POSITIVE_INFINITY : (first?.runs.writtenFirst ?? 0);
    if (first === undefined || most === 0) return undefined;
    const fitting = first.contents.slice(
      0,
      Math.min(most, first.contents.count, limit.maxEvents),
      limit.maxBytes,
    );
    const count = fitting.ends.length;
    this.#shift();
    const rest = { from: count, to: first.contents.count };
    if (count === rest.to) return this.taken(first);
    const taken = first.cut({ from: 0, to: count }, memory);
    // An append may read the first events from this memory: the head of the rest must not go over them.
    const isRead = first.runs.handed > 0;
    if (isRead) first.state = 'ended';
    else first.dropFirst(count);
    this.#unshift(isRead ? first.cut(rest, memory) : first);
    return this.taken(taken);
  }

  /** The sender has a parcel now. */
  taken(parcel: Parcel): Parcel {
    parcel.state = 'out';
    this.out.add(parcel);
    if (!parcel.isWritten) this.loose.add(parcel);
    return parcel;
  }

  /** A parcel has ended. */
  ended(parcel: Parcel): void {
    parcel.state = 'ended';
    this.out.delete(parcel);
    this.loose.delete(parcel);
  }

  /** A parcel waits again. */
  putBack(parcel: Parcel, place: Place): void {
    this.out.delete(parcel);
    parcel.state = 'waiting';
    if (place === 'aside') parcel.isSent = true;
    this.#kept.add(parcel);
    const most = [...this.#kept].filter(({ isWritten }) => isWritten);
    for (let bytes = sum(most, bytesOf); bytes > MOST_KEPT_BYTES; ) {
      const oldest = most.shift();
      bytes -= oldest ? bytesOf(oldest) : bytes;
      if (oldest) this.#store(oldest);
    }
    const list = place === 'aside' ? this.aside : this.old;
    if (place === 'first') list.unshift(parcel);
    else list.push(parcel);
  }

  /** Takes the first parcel of a list. */
  shift(list: ParcelList): Parcel | undefined {
    const parcel = list.shift();
    if (parcel) this.#kept.delete(parcel);
    return parcel;
  }

  /** What was put aside waits before all others. */
  putAllBack(): void {
    const parcels = [...this.aside];
    while (this.aside.shift());
    for (const parcel of parcels.reverse()) this.old.unshift(parcel);
  }

  /** Drops events for which `find` returns the ranges. Returns how many there were. */
  drop(range: Range | undefined, ended: (epoch: number, count: number) => void): number {
    let dropped = 0;
    for (const parcel of this.parcels()) {
      const all = [{ from: 0, to: parcel.runs.length }];
      for (const indexes of range ? parcel.runs.in(range) : all) {
        for (const { epoch, count } of parcel.runs.drop(indexes)) {
          ended(epoch, count);
          dropped += count;
        }
      }
    }
    const { memory } = this.#options;
    for (const list of [this.old, this.aside]) {
      list.recount(memory);
      for (const parcel of list) if (!parcel.isWritten) this.loose.add(parcel);
    }
    this.recount();
    return dropped;
  }

  /** Call this after appends failed, or events were dropped or lost. */
  recount(): void {
    const ring = [...this.#ring.parcels];
    this.toWrite = sum(ring, ({ runs }) => runs.unwritten);
    this.#dropped = sum(ring, ({ runs }) => runs.dropped);
    while (this.#dropped > 0 && this.#ring.first?.count === 0) this.#shift();
  }

  /** The first parcel of the ring buffer with events that no journal has or is given. */
  nextToWrite(): Parcel | undefined {
    if (this.toWrite === 0) return undefined;
    for (const parcel of this.#ring.parcels) if (parcel.runs.unwritten > 0) return parcel;
    return undefined;
  }

  /** Takes what was dropped out of the oldest parcel. */
  #removeDropped(): void {
    for (let { first } = this.#ring; first && first.runs.dropped > 0; first = this.#ring.first) {
      this.#shift();
      const { memory } = this.#options;
      for (const indexes of first.runs.kept.reverse()) this.#unshift(first.cut(indexes, memory));
      first.state = 'ended';
    }
  }

  #store(parcel: Parcel): void {
    this.#kept.delete(parcel);
    const memory = parcel.store();
    if (memory) this.#options.memory.give(memory);
  }

  #shift(): void {
    const parcel = this.#ring.shift();
    this.toWrite -= parcel?.runs.unwritten ?? 0;
    this.#dropped -= parcel?.runs.dropped ?? 0;
  }

  #unshift(parcel: Parcel): void {
    this.#ring.unshift(parcel);
    this.toWrite += parcel.runs.unwritten;
    this.#dropped += parcel.runs.dropped;
  }
}

function bytesOf(parcel: Parcel): number {
  return parcel.isInMemory ? parcel.contents.length : 0;
}

function sum(parcels: readonly Parcel[], count: (parcel: Parcel) => number): number {
  return parcels.reduce((total, parcel) => total + count(parcel), 0);
}
