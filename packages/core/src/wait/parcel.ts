import type { EventBytes, Limit } from '../base/event-bytes.ts';
import { type Range, without } from '../base/range.ts';
import type { Memory } from './contents.ts';
import { type Contents, copyOf } from './contents.ts';
import { type EpochCount, type Indexes, Runs } from './runs.ts';

/**
 * - `filling`: `track()` adds events.
 * - `waiting`: it is in memory, and is sent when it is due.
 * - `stored`: only the journal has its events.
 * - `out`: the sender has it.
 * - `ended`: its events are delivered, dead letters or dropped, or go on in other parcels.
 */
export type ParcelState = 'filling' | 'waiting' | 'stored' | 'out' | 'ended';

/**
 * What travels: consecutive events, up to one batch of them, and where the journal has them. In memory they are the body of a
 * request. A stored parcel may have more events than a batch; what is read of it is a parcel of its own.
 */
export class Parcel {
  state: ParcelState;
  /** Whether its events wait for no others, and are given up last. */
  readonly isHigh: boolean;
  /** Whether it was sent before. Then it keeps its bytes: it is not joined with others. */
  isSent = false;
  /** Whether it is in the ring buffer. */
  isFresh = false;
  /** When its oldest event was accepted, or a time before that, in milliseconds since 1970; undefined if unknown. */
  at: number | undefined;
  #runs: Runs;
  #contents: Contents | undefined;
  #body: Uint8Array | undefined;
  /** Number of events that were removed at the front. The indexes of an append count them. */
  #removed = 0;
  /** Events that went on in other parcels while an append of them was in progress. */
  readonly #parts: (Indexes & { readonly parcel: Parcel })[] = [];

  /** @param contents Left out if only the journal has the events. */
  constructor(runs: Runs, isHigh: boolean, contents?: Contents) {
    this.#runs = runs;
    this.isHigh = isHigh;
    this.#contents = contents;
    this.state = contents ? 'waiting' : 'stored';
    this.at = contents?.timeOf(0);
    if (Number.isNaN(this.at)) this.at = undefined;
  }

  get runs(): Runs {
    return this.#runs;
  }

  /** Number of events that were not dropped. */
  get count(): number {
    return this.#runs.length - this.#runs.dropped;
  }

  /** Whether the journal has all its events. */
  get isWritten(): boolean {
    return this.#runs.volatile === 0;
  }

  get isInMemory(): boolean {
    return this.#contents !== undefined;
  }

  /** The events in memory. Throws if there are none. */
  get contents(): Contents {
    if (this.#contents === undefined) throw new Error('these events are not in memory');
    return this.#contents;
  }

  get events(): EventBytes {
    return this.contents.events;
  }

  /** The body of the request. Made once: a parcel that is sent again has the same bytes. */
  get body(): Uint8Array {
    this.#body ??= this.contents.enclose();
    return this.#body;
  }

  /** Some of its events as a parcel with memory of its own. */
  cut({ from, to }: Indexes, memory: Memory): Parcel {
    const parcel = new Parcel(
      this.#runs.slice(from, to),
      this.isHigh,
      copyOf([this.contents.slice(from, to)], memory),
    );
    const removed = this.#removed;
    if (parcel.#runs.handed > 0) this.#parts.push({ from: removed + from, to: removed + to, parcel });
    return parcel;
  }

  /** Removes the first events of several. Nobody may read them from its memory any more. */
  dropFirst(count: number): void {
    this.#runs = this.#runs.slice(count, this.#runs.length);
    this.#removed += count;
    if (this.#contents === undefined) return;
    this.#contents.dropFirst(count);
    this.#body = undefined;
    this.at = this.#contents.timeOf(0);
  }

  /** Splits the parcel in two, of `count` events and of the others. The first one may be this one. */
  split(count: number, memory: Memory): [Parcel, Parcel] {
    const indexes = { from: count, to: this.#runs.length };
    const rest = this.#contents
      ? this.cut(indexes, memory)
      : new Parcel(this.#runs.slice(count, indexes.to), this.isHigh);
    if (!this.#contents) rest.at = this.at;
    rest.isSent = this.isSent;
    if (this.#runs.handed > 0) {
      // An append may read the others from this memory: the tail of the first ones must not go over them.
      const first = this.cut({ from: 0, to: count }, memory);
      first.isSent = this.isSent;
      this.state = 'ended';
      return [first, rest];
    }
    this.#runs = this.#runs.slice(0, count);
    this.#contents?.keepFirst(count);
    this.#body = undefined;
    return [this, rest];
  }

  /** Hands its next events to the journal, within the limit. */
  hand({ maxEvents, maxBytes }: Limit): { readonly events: EventBytes; readonly at: number } | undefined {
    const indexes = this.#runs.toWrite;
    if (indexes === undefined) return undefined;
    const { from } = indexes;
    const events = this.contents.slice(from, Math.min(indexes.to, from + maxEvents), maxBytes);
    this.#runs.hand({ from, to: from + events.ends.length });
    return { events, at: from + this.#removed };
  }

  /** The journal has the events from `at` on, as `hand` returned it. Returns ranges that nobody needs any more. */
  place(at: number, range: Range): Range[] {
    const unneeded: Range[] = [];
    const { segment } = range;
    this.#each({ from: at, to: at + range.to - range.from }, (parcel, from, indexes) => {
      const start = range.from + indexes.from - at;
      const placed = { segment, from: start, to: start + indexes.to - indexes.from };
      if (parcel !== this) unneeded.push(...parcel.place(from, placed));
      else if (this.state === 'ended') unneeded.push(placed);
      else {
        // Events that were removed had been dropped before.
        const first = start - from + this.#removed;
        const here = { from: first, to: first + this.#runs.length };
        const own = { segment, from: Math.max(start, first), to: Math.min(placed.to, here.to) };
        unneeded.push(...without(placed, here));
        if (own.from < own.to) unneeded.push(...this.#runs.place(own.from - first, own));
      }
    });
    return unneeded;
  }

  /** The append of the events from `at` on failed. Returns the parcels that have them. */
  handBack(at: number, count: number): Parcel[] {
    const found: Parcel[] = [];
    this.#each({ from: at, to: at + count }, (parcel, from, indexes) => {
      const length = indexes.to - indexes.from;
      if (parcel !== this) return void found.push(...parcel.handBack(from, length));
      this.#runs.handBack({ from: from - this.#removed, to: from - this.#removed + length });
      found.push(this);
    });
    return found;
  }

  /** Drops the unwritten events from `at` on. Returns how many there were of each epoch. */
  dropUnwritten(at: number, count: number): EpochCount[] {
    const dropped: EpochCount[] = [];
    this.#each({ from: at, to: at + count }, (parcel, from, indexes) => {
      const length = indexes.to - indexes.from;
      const first = from - this.#removed;
      if (parcel !== this) dropped.push(...parcel.dropUnwritten(from, length));
      else if (this.state !== 'ended') dropped.push(...this.#runs.drop({ from: first, to: first + length }));
    });
    return dropped;
  }

  /** Leaves the events to the journal, which has all of them. Returns their memory. */
  store(): Uint8Array | undefined {
    const memory = this.#contents?.memory;
    this.state = 'stored';
    this.#contents = undefined;
    this.#body = undefined;
    this.#runs.compact();
    return memory;
  }

  /** Calls back for each part of the indexes, with the parcel that has it and its index there. */
  #each(all: Indexes, callback: (parcel: Parcel, from: number, indexes: Indexes) => void): void {
    let rest = [all];
    for (const part of this.#parts) {
      const from = Math.max(all.from, part.from);
      const to = Math.min(all.to, part.to);
      if (from >= to) continue;
      callback(part.parcel, from - part.from, { from, to });
      rest = rest.flatMap((other) => without(other, part));
    }
    for (const part of rest) callback(this, part.from, part);
  }
}

/** A stored parcel. */
export function storedParcel(range: Range, epoch: number, isHigh: boolean, at?: number): Parcel {
  const parcel = new Parcel(new Runs(range, epoch), isHigh);
  parcel.at = at;
  return parcel;
}

/** What a request carries of a parcel. */
export type Batch = Pick<Parcel, 'body' | 'events'>;
