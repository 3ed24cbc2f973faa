import type { Parcel } from '../parcel.ts';
import type { ParcelList } from '../parcel-list.ts';
import { ALL_LANES } from './lane.ts';

/**
 * The parcels that may go: none of their customers has an older event that waits, or is in a request. Returns the lanes that must
 * wait.
 */
export function* free(
  parcels: Iterable<Parcel>,
  busy: number,
  mayGo: (parcel: Parcel) => boolean,
): Generator<Parcel, number> {
  let lanes = busy;
  for (const parcel of parcels) {
    if ((parcel.lanes & lanes) === 0 && mayGo(parcel)) yield parcel;
    // An event that waits alone has no lane, and holds up no other.
    else lanes |= parcel.lanes;
    if (lanes === ALL_LANES) break;
  }
  return lanes;
}

/** All that waits of the oldest lane comes first. If requests had a little of each, few of them would keep all lanes busy. */
function* laneByLane(parcels: Iterable<Parcel>): Generator<Parcel, undefined> {
  const others: Parcel[] = [];
  let first: number | undefined;
  let skipped = 0;
  for (const parcel of parcels) {
    const { lanes } = parcel;
    first ??= lanes;
    if ((lanes & (skipped | ~first)) === 0) yield parcel;
    else {
      others.push(parcel);
      skipped |= lanes;
    }
  }
  if (others.length > 0) yield* laneByLane(others);
}

/** The parcels that may be sent, those of the oldest lane first. */
export function freeByLane(parcels: Iterable<Parcel>, busy: number): Iterable<Parcel> {
  return laneByLane(free(parcels, busy, () => true));
}

/** Puts a parcel back before all that go after it. */
export function putBack(list: ParcelList, parcel: Parcel): void {
  const before: Parcel[] = [];
  for (const other of list) {
    if (other.order >= parcel.order) break;
    before.push(other);
  }
  for (const other of before) list.remove(other);
  for (const other of [...before, parcel].reverse()) list.unshift(other);
}
