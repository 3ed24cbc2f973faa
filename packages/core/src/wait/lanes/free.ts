import type { Parcel } from '../parcel.ts';
import { ALL_LANES } from './lane.ts';

/** The parcels that may go: none of their customers has an older event that waits, or is in a request. */
function* free(
  parcels: Iterable<Parcel>,
  busy: number,
  mayGo: (parcel: Parcel) => boolean,
): Generator<Parcel, undefined> {
  let lanes = busy;
  for (const parcel of parcels) {
    if ((parcel.lanes & lanes) === 0 && mayGo(parcel)) yield parcel;
    // An event that waits alone has no lane, and holds up no other.
    else lanes |= parcel.lanes;
    if (lanes === ALL_LANES) break;
  }
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
export function freeByLane(
  parcels: Iterable<Parcel>,
  busy: number,
  mayGo: (parcel: Parcel) => boolean = () => true,
): Iterable<Parcel> {
  return laneByLane(free(parcels, busy, mayGo));
}
