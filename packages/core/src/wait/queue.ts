import type { Limit } from '../base/event-bytes.ts';
import { type Range, rangeLength, type Span } from '../base/range.ts';
import type { Epochs } from '../tell/epochs.ts';
import type { Contents } from './contents.ts';
import { freeByLane } from './lanes/free.ts';
import { ALL_LANES, laneOf, STEP } from './lanes/lane.ts';
import { joinedParcel, lanesOf, type Parcel, storedParcel } from './parcel.ts';
import { ParcelList } from './parcel-list.ts';
import { HANDED, NOWHERE } from './places.ts';
import { RingBuffer, type RingBufferOptions } from './ring-buffer.ts';

/** What was put back stays in memory up to this size, in bytes: storage may lose it. */
const MOST_KEPT_BYTES = 512 * 1024;

/**
 * Where a parcel goes that is not sent now: before all others, or behind them. `journal`: before all others, and out of memory if
 * the journal has it, to be joined with its neighbours when it is read.
 */
export type Place = 'first' | 'last' | 'journal';

/** All that waits with one priority: the newest events in the ring buffer; older ones in the journal, and some in memory too. */
export class Queue {
  /** Parcels that were sent, or that only the journal has: they go before the ring buffer, or in turns with it. */
  readonly old: ParcelList;
  /** Parcels that the sender has. */
  readonly out: Set<Parcel> = new Set();
  /** Parcels with events that are to be written to the journal, or are being written. The filling one is not among them. */
  readonly unwritten: Set<Parcel> = new Set();
  readonly isHigh: boolean;
  readonly epochs: Epochs;
  /** The newest events. */
  readonly ring: RingBuffer;
  readonly #isOrdered: boolean;
  /** The order of the next events of a previous process: before all of this one. */
  #recoveredOrder = -(2 ** 52);
  /** Parcels that were put back lately: they are still in memory. */
  readonly #kept = new Set<Parcel>();

  constructor(options: RingBufferOptions) {
    const { epochs, isHigh, isOrdered } = options;
    this.isHigh = isHigh;
    this.epochs = epochs;
    this.#isOrdered = isOrdered;
    this.old = new ParcelList(epochs);
    this.ring = new RingBuffer(options, (parcel) => this.unwritten.add(parcel));
  }

  /** All parcels that wait. */
  parcels(): Parcel[] {
    return [...this.old, ...this.ring.parcels];
  }

  /** The lanes that must wait: they have events that the sender has. */
  get busy(): number {
    return lanesOf(this.out);
  }

  /** Adds an event. Returns false if there is no room, and nothing can be left to the journal. */
  push(text: string, at: number, customer: string): boolean {
    const lane = this.#isOrdered ? laneOf(customer) : 0;
    while (!this.ring.push(text, at, lane)) if (!this.spill()) return false;
    return true;
  }

  /** The events of a previous process, or others that only the journal has: their customers are not known. */
  recover(range: Range, at: number | undefined): void {
    const parcel = storedParcel(range, this.epochs.current, this.isHigh, at);
    if (this.#isOrdered) parcel.lanes = ALL_LANES;
    parcel.order = this.#recoveredOrder;
    this.#recoveredOrder += STEP * parcel.count;
    this.old.push(parcel);
  }

  /** Whether nothing of an epoch, or of earlier ones, is to be written, or is being written. */
  isWritten(last: number): boolean {
    for (const { epoch } of this.unwritten) if (epoch <= last) return false;
    return true;
  }

  /** A parcel with events that no journal has or is given. If only the filling one has any, it takes no more. */
  nextToWrite(): Parcel | undefined {
    let out: Parcel | undefined;
    const { filling } = this.ring;
    for (const parcel of this.unwritten) {
      if (parcel.isHanded) continue;
      // What is in a request may end soon: it goes last.
      if (!this.out.has(parcel)) return parcel;
      out ??= parcel;
    }
    this.ring.seal();
    return filling ?? out;
  }

  /** Call this after the places of a parcel have changed. */
  changed(parcel: Parcel): void {
    const { isEnded, places } = parcel;
    if (!isEnded && (places.has(NOWHERE) || places.has(HANDED))) this.unwritten.add(parcel);
    else this.unwritten.delete(parcel);
  }

  /** Leaves the oldest parcel of the ring buffer to the journal. Returns false if it does not have it. */
  spill(): boolean {
    const { first } = this.ring;
    if (!first?.isWritten) return false;
    this.ring.remove(first);
    this.#store(first);
    this.old.push(first);
    return true;
  }

  /** Leaves events to the journal as long as the ring buffer has more than this. */
  leaveToJournal({ maxEvents, maxBytes }: Limit): void {
    while ((this.ring.count > maxEvents || this.ring.roughBytes > maxBytes) && this.spill());
  }

  /**
   * The parcels of the ring buffer that may be sent, up to one batch.
   *
   * @param isUnwritten Whether events may be sent that the journal does not have.
   */
  ready(
    { maxEvents, maxBytes }: Limit,
    isUnwritten: boolean,
    busy: number = this.#isOrdered ? this.busy | lanesOf(this.old) : 0,
  ): { readonly parcels: readonly Parcel[]; readonly isFull: boolean } {
    const parcels: Parcel[] = [];
    let [count, bytes] = [0, 0];
    const mayGo = ({ isWritten }: Parcel) => isUnwritten || isWritten;
    for (const parcel of this.#isOrdered ? freeByLane(this.ring.parcels, busy, mayGo) : this.ring.parcels) {
      if (!mayGo(parcel)) break;
      parcels.push(parcel);
      count += parcel.count;
      bytes += parcel.contents.length + 1;
      if (count >= maxEvents || bytes > maxBytes) return { parcels, isFull: true };
    }
    return { parcels, isFull: false };
  }

  get isOldReady(): boolean {
    return !this.oldReady()[Symbol.iterator]().next().done;
  }

  /** The stored parcels, and others that were sent, that may be sent now. */
  oldReady(busy: number = this.busy): Iterable<Parcel> {
    return this.#isOrdered ? freeByLane(this.old, busy) : this.old;
  }

  /** Takes the oldest events of the ring buffer that may be sent, as far as they fit one batch. Undefined if there are none. */
  takeFresh(limit: Limit, isUnwritten: boolean, busy?: number): Parcel | undefined {
    const taken = this.#shift(limit, this.ready(limit, isUnwritten, busy).parcels);
    const [first] = taken;
    if (!first) return undefined;
    return taken.length > 1 ? this.join(taken) : this.taken(first);
  }

  /** Makes one parcel of several that were never sent, and of which no append is in progress. The sender has it. */
  join(parcels: readonly Parcel[], contents?: Contents): Parcel {
    const joined = joinedParcel(parcels, this.epochs.join(parcels), contents);
    for (const parcel of parcels) {
      this.ended(parcel);
      if (parcel.isInMemory) parcel.contents.release();
    }
    return this.taken(joined);
  }

  /** The sender has a parcel now. */
  taken(parcel: Parcel): Parcel {
    this.out.add(parcel);
    this.changed(parcel);
    return parcel;
  }

  /** A parcel has ended. */
  ended(parcel: Parcel): void {
    parcel.isEnded = true;
    this.out.delete(parcel);
    this.unwritten.delete(parcel);
  }

  /** A parcel waits again. */
  putBack(parcel: Parcel, place: Place): void {
    this.out.delete(parcel);
    this.#keep(parcel);
    if (place === 'journal' && parcel.isWritten) this.#store(parcel);
    if (this.#isOrdered) this.old.putBack(parcel);
    else if (place === 'last') this.old.push(parcel);
    else this.old.unshift(parcel);
  }

  /** Takes an old parcel. */
  takeOld(parcel: Parcel): void {
    this.old.remove(parcel);
    this.#kept.delete(parcel);
  }

  /** Puts what could not be read, the first range of the first stored parcel, behind all others. */
  leaveFirst(): void {
    const { first } = this.old;
    const [range] = first?.isInMemory === false ? first.places.ranges : [];
    if (!first || !range) return;
    this.takeOld(first);
    const [unread, rest] = this.split(first, rangeLength(range));
    if (rest) this.old.unshift(rest);
    this.old.push(unread);
  }

  /** Splits a parcel in two, of `count` events and of the others, if there are any. The first one may be this one. */
  split(parcel: Parcel, count: number): [Parcel, Parcel?] {
    if (count >= parcel.count) return [parcel];
    let parts: [Parcel, Parcel];
    if (parcel.isHanded) {
      // The journal has or gets this one as a whole: it releases that, and the parts are written again.
      const others = { from: count, to: parcel.count };
      parts = [parcel.cut({ from: 0, to: count }), parcel.cut(others)];
      this.ended(parcel);
    } else parts = [parcel, parcel.split(count)];
    for (const part of parts) this.changed(part);
    return parts;
  }

  /** All that waits of a range ends; everything, if it is left out. Returns how many events that are. */
  drop(range?: Range): number {
    return this.end(this.parcels(), (parcel) =>
      range ? parcel.places.find(range) : [{ from: 0, to: parcel.count }],
    );
  }

  /** Some events of these parcels end. Returns how many. */
  end(parcels: readonly Parcel[], spansOf: (parcel: Parcel) => readonly Span[]): number {
    let ended = 0;
    for (const parcel of parcels) {
      const before = parcel.count;
      // From the end, so that the other indexes stay right.
      for (const span of [...spansOf(parcel)].reverse()) parcel.remove(span);
      const count = before - parcel.count;
      if (count === 0) continue;
      ended += count;
      this.epochs.settle({ epoch: parcel.epoch, count });
      if (parcel.count === 0) this.ended(parcel);
      else this.changed(parcel);
    }
    if (ended > 0) for (const list of [this.old, this.ring]) list.recount();
    return ended;
  }

  /** Takes what fits one batch of these out of the ring buffer. What an append reads is not joined with others. */
  #shift({ maxEvents, maxBytes }: Limit, parcels: readonly Parcel[]): Parcel[] {
    const taken: Parcel[] = [];
    let [events, bytes] = [maxEvents, maxBytes];
    for (const parcel of parcels) {
      const isAlone = parcel.isHanded;
      if (events <= 0 || bytes <= 0 || (isAlone && taken.length > 0)) break;
      const fitting = parcel.contents.slice(0, Math.min(parcel.count, events), bytes);
      const count = fitting.ends.length;
      // The first event is taken, however large it is.
      if (taken.length > 0 && fitting.bytes.length > bytes) break;
      this.ring.remove(parcel);
      const [part, rest] = this.split(parcel, count);
      if (rest) this.ring.putBack(rest);
      taken.push(part);
      if (isAlone || rest) break;
      events -= count;
      bytes -= fitting.bytes.length + 1;
    }
    return taken;
  }

  /** Leaves the oldest ones to the journal that no longer fit, and that it has. */
  #keep(parcel: Parcel): void {
    let bytes = 0;
    for (const kept of [...this.#kept.add(parcel)].reverse()) {
      if (!kept.isWritten) continue;
      bytes += kept.isInMemory ? kept.contents.length : 0;
      if (bytes > MOST_KEPT_BYTES) this.#store(kept);
    }
  }

  #store(parcel: Parcel): void {
    this.#kept.delete(parcel);
    parcel.store();
  }
}
