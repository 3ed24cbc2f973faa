import type { Limit } from '../base/event-bytes.ts';
import { allOf, type Range, rangeLength, type Span } from '../base/range.ts';
import type { Handed } from '../keep/unwritten.ts';
import type { Epochs } from '../tell/epochs.ts';
import { ALL_LANES, halvesOf, laneOf, lanesOf } from './lanes.ts';
import { Parcel } from './parcel.ts';
import { ParcelList } from './parcel-list.ts';
import { Places } from './places.ts';
import { RingBuffer } from './ring-buffer.ts';

/**
 * Where a parcel goes that is not sent now: before all others, or behind them. `journal`: before all others, to be joined with its
 * neighbours when it is read. With `last` and `journal`, a parcel that the journal has leaves memory.
 */
export type Place = 'first' | 'last' | 'journal';

/** All events of one priority: those that wait, and those that the sender has. */
export class Queue {
  readonly ring: RingBuffer;
  /** Parcels that were sent, or that the journal has: they go before the ring buffer, or in turns with it. Some are in memory too. */
  readonly old: ParcelList;
  readonly out: Set<Parcel> = new Set();
  /** Parcels with events that are to be written to the journal, or are being written. The filling one is not among them. */
  readonly unwritten: Set<Parcel> = new Set();
  readonly isHigh: boolean;
  readonly #epochs: Epochs;
  readonly #isOrdered: boolean;
  readonly #denied: () => AbortSignal;

  /** @param options `denied` returns what aborts when consent is denied to send what is taken now. */
  constructor(options: ConstructorParameters<typeof RingBuffer>[0] & { readonly denied: () => AbortSignal }) {
    const { denied, epochs, isHigh, isOrdered } = options;
    this.isHigh = isHigh;
    this.#epochs = epochs;
    this.#isOrdered = isOrdered;
    this.#denied = denied;
    this.old = new ParcelList(epochs);
    this.ring = new RingBuffer(options, (parcel) => this.unwritten.add(parcel));
  }

  parcels(): Parcel[] {
    return [...this.old, ...this.ring.parcels];
  }

  /** Adds an event. Returns false if there is no room, and nothing can be left to the journal. */
  push(text: string, at: number, customer: string): boolean {
    const lane = this.#isOrdered ? laneOf(customer) : 0;
    while (!this.ring.push(text, at, lane)) if (!this.#spill()) return false;
    return true;
  }

  /** The events of a previous process, or others that only the journal has: their customers are not known. */
  recover(range: Range, at: number | undefined): void {
    const parcel = new Parcel(new Places(range), this.#epochs.current, this.isHigh, undefined, at);
    if (this.#isOrdered) parcel.lanes = ALL_LANES;
    // A custom journal may tell of an empty range.
    if (parcel.count > 0) this.old.push(parcel);
  }

  /**
   * Leaves events to the journal as long as the ring buffer has more than this.
   *
   * @param leastBytes So many bytes of events stay, however small their parcels are.
   */
  leaveToJournal({ maxEvents, maxBytes }: Limit, leastBytes: number): void {
    const { ring } = this;
    const least = Math.min(leastBytes, maxBytes);
    while ((ring.count > maxEvents || (ring.roughBytes > maxBytes && ring.bytes > least)) && this.#spill());
  }

  /** Whether all events of this epoch and of earlier ones are written. */
  isWritten(last: number): boolean {
    for (const { epoch } of this.unwritten) if (epoch <= last) return false;
    return true;
  }

  /** Hands the next unwritten events to the journal, within the limit. Undefined if there are none. */
  hand(limit: Limit): Handed | undefined {
    const parcel = this.#nextToWrite();
    const events = parcel?.hand(limit);
    if (!parcel || !events) return undefined;
    const { places } = parcel;
    const appended = (range?: Range) => {
      places.appended(range);
      this.changed(parcel);
    };
    const forsake = (...marks: readonly number[]) => {
      for (const mark of marks) places.markAll(allOf(mark), Places.FORSAKEN);
      this.changed(parcel);
    };
    return {
      events,
      isLast: this.isHigh,
      placed(range) {
        if (parcel.isEnded) return range;
        appended(range);
        return undefined;
      },
      handBack: appended,
      drop: () => {
        // Its events have ended, or go on in other parcels.
        if (parcel.isEnded) return 0;
        if (!this.out.has(parcel)) return this.end([parcel], () => places.marked(Places.HANDED));
        // In a request, or until its next try: it goes on in memory.
        forsake(Places.HANDED);
        return 0;
      },
      forsake: () => forsake(Places.NOWHERE, Places.HANDED),
    };
  }

  /** The places of a parcel have changed. */
  changed(parcel: Parcel): void {
    const { isEnded, places } = parcel;
    if (!isEnded && (places.has(Places.NOWHERE) || places.has(Places.HANDED))) this.unwritten.add(parcel);
    else this.unwritten.delete(parcel);
  }

  /** Takes the first of these parcels of a list, as far as they are in memory and fit one batch. Undefined if there are none. */
  take(
    list: RingBuffer | ParcelList,
    parcels: readonly Parcel[],
    { maxEvents, maxBytes }: Limit,
  ): Parcel | undefined {
    const taken: Parcel[] = [];
    let [events, bytes] = [maxEvents, maxBytes];
    for (const parcel of parcels) {
      // A parcel that an append reads is not joined with others, either.
      const isAlone = parcel.isHanded || parcel.wasTaken;
      const isNext = parcel.isInMemory && !(isAlone && taken.length > 0);
      if (events <= 0 || bytes <= 0 || !isNext) break;
      const fitting = parcel.contents.slice(0, Math.min(parcel.count, events), bytes);
      const count = fitting.ends.length;
      // The first event is taken, however large it is.
      if (taken.length > 0 && fitting.bytes.length > bytes) break;
      list.remove(parcel);
      const [part = parcel, rest] = this.cut(parcel, count);
      if (rest) list.putBack(rest);
      taken.push(part);
      if (isAlone || rest) break;
      events -= count;
      bytes -= fitting.bytes.length + 1;
    }
    const [first] = taken;
    return taken.length > 1 ? this.#join(taken) : first && this.taken(first);
  }

  /** Takes the newest event of the ring buffer. @param isUnwritten Also one that the journal does not have. */
  takeNewest(isUnwritten: boolean): Parcel | undefined {
    const { ring } = this;
    const parcel = [...ring.parcels].filter(({ isWritten }) => isUnwritten || isWritten).at(-1);
    if (!parcel) return undefined;
    ring.remove(parcel);
    if (parcel.count < 2) return this.taken(parcel);
    const [rest, newest] = this.cut(parcel, parcel.count - 1);
    if (rest) ring.add(rest);
    return newest && this.taken(newest);
  }

  taken(parcel: Parcel): Parcel {
    parcel.wasTaken = true;
    parcel.denied = this.#denied();
    this.out.add(parcel);
    this.changed(parcel);
    return parcel;
  }

  ended(parcel: Parcel): void {
    parcel.isEnded = true;
    this.out.delete(parcel);
    this.unwritten.delete(parcel);
  }

  putBack(parcel: Parcel, place: Place): void {
    this.out.delete(parcel);
    if (place !== 'first' && parcel.isWritten) parcel.store();
    if (place === 'last') this.old.push(parcel);
    else this.old.putBack(parcel);
  }

  /** Puts what could not be read, the first range of the first stored parcel, behind all others. */
  leaveFirst(): void {
    const { first } = this.old;
    const [range] = first?.isInMemory === false ? first.places.ranges : [];
    if (!first || !range) return;
    this.old.remove(first);
    const [unread = first, rest] = this.cut(first, rangeLength(range));
    if (rest) this.old.putBack(rest);
    this.old.push(unread);
  }

  /** Replaces a parcel by its parts, cut before the events with these indexes. Leaves out empty parts. */
  cut(parcel: Parcel, ...indexes: readonly number[]): Parcel[] {
    if (!indexes.some((index) => index > 0 && index < parcel.count)) return [parcel];
    const parts: Parcel[] = [];
    let from = 0;
    for (const to of [...indexes, parcel.count]) {
      if (to > from) parts.push(parcel.cut({ from, to }));
      from = Math.max(from, to);
    }
    for (const part of parts) this.changed(part);
    // If an append of it is in progress, the journal releases that, and the parts are written again.
    this.ended(parcel);
    return parts;
  }

  /** Replaces a parcel by two, each with all events of its customers. By one, if there is only one customer. */
  divide(parcel: Parcel): Parcel[] {
    this.ended(parcel);
    return halvesOf(parcel.texts).map((half) => {
      const events = half.map(({ index, lane }) => {
        const event = parcel.cut({ from: index, to: index + 1 });
        // The lane of a stored parcel was not known.
        event.lanes = 1 << lane;
        return event;
      });
      return this.#join(events);
    });
  }

  /** Some events of parcels that wait end. Returns how many. */
  end(parcels: readonly Parcel[], spansOf: (parcel: Parcel) => readonly Span[]): number {
    let ended = 0;
    for (const parcel of parcels) {
      const before = parcel.count;
      // From the end, so that the other indexes stay right.
      for (const span of [...spansOf(parcel)].reverse()) parcel.remove(span);
      const count = before - parcel.count;
      if (count === 0) continue;
      ended += count;
      this.#epochs.settle({ epoch: parcel.epoch, count });
      if (parcel.count === 0) this.ended(parcel);
      else this.changed(parcel);
    }
    if (ended > 0) for (const list of [this.old, this.ring]) list.recount();
    return ended;
  }

  /** A parcel with events that no journal has or is given. If only the filling one has any, it takes no more. */
  #nextToWrite(): Parcel | undefined {
    let out: Parcel | undefined;
    const { filling } = this.ring;
    for (const parcel of this.unwritten) {
      if (parcel.isHanded) continue;
      // A parcel in a request may end soon: it goes last.
      if (!this.out.has(parcel)) return parcel;
      out ??= parcel;
    }
    this.ring.seal();
    return filling ?? out;
  }

  /** Leaves the oldest parcel of the ring buffer to the journal. Returns false if the journal does not have it. */
  #spill(): boolean {
    const { first } = this.ring;
    if (!first?.isWritten) return false;
    this.ring.remove(first);
    first.store();
    this.old.push(first);
    return true;
  }

  /** Makes one parcel of several, of which no append is in progress. The sender has it. */
  #join(parcels: readonly Parcel[]): Parcel {
    const places = new Places();
    for (const parcel of parcels) places.append(parcel.places);
    const contents = parcels[0]?.contents.copy(...parcels.map(({ events }) => events));
    const joined = new Parcel(places, this.#epochs.join(parcels), this.isHigh, contents);
    joined.lanes = lanesOf(parcels);
    for (const parcel of parcels) {
      this.ended(parcel);
      parcel.contents.release();
    }
    return this.taken(joined);
  }
}
