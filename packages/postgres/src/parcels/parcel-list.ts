import type { Limit } from '@sluice/core';
import { outside, type Span } from './pieces.ts';

/** A row of the table of parcels. */
export interface Parcel extends Span {
  /** The size of its body, in bytes. */
  readonly bytes: number;
  /** When its oldest event was accepted, in milliseconds since 1970; undefined if unknown. */
  readonly at: number | undefined;
  /** The parts that are not released yet. */
  rest: readonly Span[];
  /** Whether its insert was repeated: the first one may still come. */
  readonly isRepeated?: boolean | undefined;
  /** Its number among all parcels that a forwarder has listed. */
  readonly place?: number | undefined;
}

/** So many numbers of each parcel are kept. */
const WIDTH = 4;

/** The known parcels of a slot, in order. A lookup is a binary search. The cost of a release does not grow with the backlog. */
export class ParcelList {
  /**
   * Of each parcel `from`, `to`, `bytes` and `at`, or NaN. While the service is away, a tracker stores millions of them, and objects would
   * take ten times as much.
   */
  #all: number[] = [];
  /** Those with more to them, by their first numbers. */
  readonly #special = new Map<number, Parcel>();
  /** The first numbers of those that were removed. */
  readonly #removed = new Set<number>();
  /** Size of the parcels that are not completely released. */
  bytes = 0;

  /** Number of parcels that were added and not removed. */
  get size(): number {
    return this.#all.length / WIDTH - this.#removed.size;
  }

  /** The numbers under which the table has them. */
  get keys(): number[] {
    return this.#all.filter((from, index) => index % WIDTH === 0 && !this.#removed.has(from));
  }

  /** Number of these that were listed after a place. */
  countAfter(place: number): number {
    return [...this.#special.values()].filter((parcel) => (parcel.place ?? 0) > place).length;
  }

  /** Inserts a parcel in order; usually that is at the end. */
  add(parcel: Parcel): void {
    const { at = Number.NaN, bytes, from, isRepeated, place, to } = parcel;
    // The table may have another one with the number of one that is gone.
    if (this.#removed.has(from)) this.#tidy();
    const start = this.#positionOf(from) * WIDTH;
    // `splice` would copy all of them.
    if (start === this.#all.length) this.#all.push(from, to, bytes, at);
    else this.#all.splice(start, 0, from, to, bytes, at);
    if (isRepeated || place !== undefined) this.#special.set(from, parcel);
    this.bytes += bytes;
  }

  /** The adjacent parcels that a read from the start of the span needs, as far as they fit the limit: at least one, if there is one. */
  within({ from, to }: Span, { maxEvents, maxBytes }: Limit): Parcel[] {
    const found: Parcel[] = [];
    let room = maxBytes;
    for (let next = from; next < to; ) {
      const parcel = this.#at(next);
      if (!parcel?.rest.length) break;
      room -= parcel.bytes;
      if (found.length > 0 && (room < 0 || parcel.to - from > maxEvents)) break;
      found.push(parcel);
      next = parcel.to;
    }
    return found;
  }

  /** The first parcel behind an index that is not completely released. */
  next(index: number): Parcel | undefined {
    for (let position = this.#positionOf(index); ; position += 1) {
      if (this.#isRemoved(position)) continue;
      const parcel = this.#get(position);
      if (!parcel || (parcel.from > index && parcel.rest.length > 0)) return parcel;
    }
  }

  /** Releases events; ignores those that are not in the list. Returns the parcels that changed. */
  release(span: Span): Parcel[] {
    const changed: Parcel[] = [];
    for (let position = this.#positionOf(span.from); ; position += 1) {
      if (this.#isRemoved(position)) continue;
      const parcel = this.#get(position);
      if (!parcel || parcel.from >= span.to) return changed;
      if (parcel.rest.length === 0) continue;
      parcel.rest = outside(parcel.rest, span);
      if (parcel.rest.length === 0) this.bytes -= parcel.bytes;
      this.#special.set(parcel.from, parcel);
      changed.push(parcel);
    }
  }

  /** Removes a parcel that is completely released. */
  remove(parcel: Parcel): void {
    this.#removed.add(parcel.from);
    this.#special.delete(parcel.from);
    // Now and then, so that a removal does not move all others.
    if (this.#removed.size > this.size) this.#tidy();
  }

  /** The parcel with this index, even if all its events are released. */
  #at(index: number): Parcel | undefined {
    const parcel = this.#get(this.#positionOf(index));
    return parcel && parcel.from <= index ? parcel : undefined;
  }

  #get(position: number): Parcel | undefined {
    const [from, to = 0, bytes = 0, at] = this.#all.slice(position * WIDTH, (position + 1) * WIDTH);
    if (from === undefined) return undefined;
    const rest = this.#isRemoved(position) ? [] : [{ from, to }];
    return this.#special.get(from) ?? { from, to, bytes, at: Number.isNaN(at) ? undefined : at, rest };
  }

  #isRemoved(position: number): boolean {
    return this.#removed.has(this.#all[position * WIDTH] ?? Number.NaN);
  }

  #tidy(): void {
    const all = this.#all;
    this.#all = all.filter((_, index) => !this.#removed.has(all[index - (index % WIDTH)] ?? 0));
    this.#removed.clear();
  }

  /** The position of the first parcel that ends after an index. */
  #positionOf(index: number): number {
    let low = 0;
    let high = this.#all.length / WIDTH;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#all[middle * WIDTH + 1] ?? 0) > index) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
