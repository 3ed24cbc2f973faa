import { tried } from '@sluice/protocol/toolbox';
import { hashOf32 } from '../base/hash.ts';

/** Customers are spread over so many lanes: one for each bit of a number. */
export const LANES = 32;

/** All lanes, as the customers are not known. */
export const ALL_LANES = -1;

interface InLanes {
  readonly lanes: number;
}

/** The lane of a customer: no two requests carry events of one lane at the same time, so they arrive in order. */
export function laneOf(customer: string): number {
  const hash = hashOf32(customer, 0);
  return (hash ^ (hash >>> 15) ^ (hash >>> 24)) & (LANES - 1);
}

export function lanesOf(parcels: Iterable<InLanes>): number {
  let all = 0;
  for (const { lanes } of parcels) {
    all |= lanes;
    if (all === ALL_LANES) break;
  }
  return all;
}

/**
 * The parcels that may be sent, those of the oldest lane first: none of their customers has an older event that waits, or is in a
 * request.
 *
 * @param busy The lanes of the requests.
 */
export function freeByLane<Parcel extends InLanes>(
  parcels: Iterable<Parcel>,
  busy: number,
  mayGo: (parcel: Parcel) => boolean = () => true,
): Iterable<Parcel> {
  function* free(): Generator<Parcel, undefined> {
    let lanes = busy;
    for (const parcel of parcels) {
      if ((parcel.lanes & lanes) === 0 && mayGo(parcel)) yield parcel;
      // An event that waits alone has no lane, and holds up no other.
      else lanes |= parcel.lanes;
      if (lanes === ALL_LANES) break;
    }
  }
  return laneByLane(free());
}

/** The oldest lane comes first, with all its parcels. If requests had events of many lanes, a few would block all lanes. */
function* laneByLane<Parcel extends InLanes>(parcels: Iterable<Parcel>): Generator<Parcel, undefined> {
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

/**
 * Divides events into two halves, or one if there is only one customer. All events of a customer are in one half. Returns the index
 * and the lane of each event.
 */
export function halvesOf(
  texts: readonly Uint8Array[],
): { readonly index: number; readonly lane: number }[][] {
  const customers = texts.map(customerOf);
  const counts = new Map<string, number>();
  for (const customer of customers) counts.set(customer, (counts.get(customer) ?? 0) + 1);
  const first = new Set<string>();
  let left = customers.length / 2;
  // The largest first: a small one fits more often.
  for (const [customer, count] of [...counts].sort((one, other) => other[1] - one[1])) {
    if (first.size > 0 && count > left) continue;
    first.add(customer);
    left -= count;
  }
  const events = customers.map((customer, index) => ({ index, lane: laneOf(customer) }));
  const isFirst = ({ index }: { readonly index: number }) => first.has(customers[index] ?? '');
  const halves = [events.filter(isFirst), events.filter((event) => !isFirst(event))];
  return halves.filter(({ length }) => length > 0);
}

/** Somebody may have stored something else than an event. */
function customerOf(event: Uint8Array): string {
  return String(tried(() => JSON.parse(new TextDecoder().decode(event)).correlationValue) ?? '');
}
