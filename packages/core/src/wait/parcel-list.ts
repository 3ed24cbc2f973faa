import { Deque } from '../base/deque.ts';
import type { Epochs } from '../tell/epochs.ts';
import type { Parcel } from './parcel.ts';

/** Stored parcels are joined up to this many places, so that the cost of taking the first events has a bound. */
const MOST_PLACES = 64;

/** A list of parcels that knows how many events they have. */
export class ParcelList implements Iterable<Parcel> {
  readonly #epochs: Epochs;
  readonly #parcels = new Deque<Parcel>();
  #count = 0;

  constructor(epochs: Epochs) {
    this.#epochs = epochs;
  }

  /** Number of events. */
  get count(): number {
    return this.#count;
  }

  get first(): Parcel | undefined {
    return this.#parcels.first;
  }

  /** Adds a parcel at the end. A stored one goes on as a part of the last one. */
  push(parcel: Parcel): void {
    const { last } = this.#parcels;
    this.#count += parcel.count;
    if (last === undefined || !areJoinable(last, parcel)) {
      this.#parcels.push(parcel);
      return;
    }
    last.epoch = this.#epochs.join([last, parcel]);
    last.places.append(parcel.places);
    if (last.at !== undefined && parcel.at !== undefined) last.at = Math.min(last.at, parcel.at);
    parcel.state = 'ended';
  }

  unshift(parcel: Parcel): void {
    this.#parcels.unshift(parcel);
    this.#count += parcel.count;
  }

  shift(): Parcel | undefined {
    const parcel = this.#parcels.shift();
    this.#count -= parcel?.count ?? 0;
    return parcel;
  }

  /** Call this after events of its parcels ended: takes out those that have none. */
  recount(): void {
    this.#count = 0;
    this.#parcels.replace((parcel) => {
      this.#count += parcel.count;
      return parcel.count > 0 ? [parcel] : [];
    });
  }

  [Symbol.iterator](): Iterator<Parcel> {
    return this.#parcels[Symbol.iterator]();
  }
}

/** Parcels of known and of unknown age stay apart. */
function areJoinable(one: Parcel, other: Parcel): boolean {
  return isJoinable(one) && isJoinable(other) && (one.at === undefined) === (other.at === undefined);
}

function isJoinable({ isInMemory, places }: Parcel): boolean {
  return !isInMemory && places.size < MOST_PLACES;
}
