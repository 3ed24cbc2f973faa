import { hashOf32 } from '../../base/hash.ts';

/** Customers are spread over so many lanes: one for each bit of a number. */
export const LANES = 32;

/** All lanes, as the customers are not known. */
export const ALL_LANES = -1;

/** From one event to the next: parts of a parcel go before the next parcel, however many events they have before them. */
export const STEP: number = 2 ** 18;

/** The lane of a customer: no two requests carry events of one lane at the same time, so they arrive in order. */
export function laneOf(customer: string): number {
  const hash = hashOf32(customer, 0);
  return (hash ^ (hash >>> 15) ^ (hash >>> 24)) & (LANES - 1);
}
