import { tried } from '@sluice/protocol/toolbox';
import { splitEvents } from '../../base/event-bytes.ts';
import type { Parcel } from '../parcel.ts';
import { laneOf } from './lane.ts';

/** The customer of each event. Somebody may have stored something else. */
function customersOf({ events }: Parcel): string[] {
  return splitEvents(events).map((event) =>
    String(tried(() => JSON.parse(new TextDecoder().decode(event)).correlationValue) ?? ''),
  );
}

/**
 * Divides the events of a parcel in two halves, each with all events of its customers. Each event is a parcel then. One half, if
 * there is only one customer.
 */
export function halvesOf(parcel: Parcel): Parcel[][] {
  const customers = customersOf(parcel);
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
  const halves: [Parcel[], Parcel[]] = [[], []];
  for (const [index, customer] of customers.entries()) {
    const part = parcel.cut({ from: index, to: index + 1 });
    // Of a stored parcel it was not known.
    part.lanes = 1 << laneOf(customer);
    halves[first.has(customer) ? 0 : 1].push(part);
  }
  return halves.filter(({ length }) => length > 0);
}
