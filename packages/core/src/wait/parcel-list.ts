import { Deque } from '../base/deque.ts';
import type { Epochs } from '../tell/epochs.ts';
import type { Contents } from './contents.ts';
import type { Parcel } from './parcel.ts';

/** Stored parcels are joined up to this many places, so that the cost of taking the first events has a bound. */
const MOST_PLACES = 64;

export class ParcelList implements Iterable<Parcel> {
  count = 0;
  readonly #epochs: Epochs;
  readonly #parcels = new Deque<Parcel>();
  /** For each set of lanes: the last parcel, if none of these lanes came after it. */
  readonly #last = new Map<number, Parcel>();

  constructor(epochs: Epochs) {
    this.#epochs = epochs;
  }

  get first(): Parcel | undefined {
    return this.#parcels.first;
  }

  /** Adds a parcel at the end. A stored one goes on as a part of the last one of its lanes. */
  push(parcel: Parcel): void {
    const { lanes } = parcel;
    const last = this.#last.get(lanes);
    this.count += parcel.count;
    if (!last || !areJoinable(last, parcel) || this.#epochs.divides(last, parcel)) {
      for (const other of this.#last.keys()) if (other & lanes) this.#last.delete(other);
      this.#last.set(lanes, parcel);
      this.#parcels.push(parcel);
      return;
    }
    last.epoch = this.#epochs.join([last, parcel]);
    last.places.append(parcel.places);
    if (last.at !== undefined && parcel.at !== undefined) last.at = Math.min(last.at, parcel.at);
    parcel.isEnded = true;
  }

  putBack(parcel: Parcel): void {
    this.#parcels.unshift(parcel);
    this.count += parcel.count;
  }

  /** The first events of one of its stored parcels were read: they are in memory now, in front of what is left of it. */
  load(parcel: Parcel, contents: Contents): void {
    const part = parcel.load(contents);
    if (part !== parcel) this.#parcels.insert(part, (other) => other === parcel);
  }

  /** Removes a parcel, usually one of the first. */
  remove(parcel: Parcel): void {
    this.#parcels.remove(parcel);
    if (this.#last.get(parcel.lanes) === parcel) this.#last.delete(parcel.lanes);
    this.count -= parcel.count;
  }

  /** Events of its parcels ended: removes the parcels without events. */
  recount(): void {
    this.count = 0;
    this.#last.clear();
    this.#parcels.filter(({ count }) => count > 0);
    for (const { count } of this.#parcels) this.count += count;
  }

  [Symbol.iterator](): Iterator<Parcel> {
    return this.#parcels[Symbol.iterator]();
  }
}

/** Parcels of known and of unknown age stay apart. */
function areJoinable(one: Parcel, other: Parcel): boolean {
  const isOneAge = (one.at === undefined) === (other.at === undefined);
  return isJoinable(one) && isJoinable(other) && isOneAge;
}

function isJoinable({ isInMemory, places }: Parcel): boolean {
  return !isInMemory && places.size < MOST_PLACES;
}
