import { freeByLane, putBack } from '../wait/lanes/free.ts';
import { halvesOf } from '../wait/lanes/halves.ts';
import { laneOf } from '../wait/lanes/lane.ts';
import { LaneRings } from '../wait/lanes/lane-rings.ts';
import type { Lanes } from '../wait/lanes/lanes.ts';

/** Part for `ordering: 'per-customer'`. */
export type PerCustomerPart = Lanes;

/**
 * For pages. In Node a tracker has this already.
 * @example createTracker({ baseUrl, correlationKey: 'email', ordering: 'per-customer', parts: { perCustomer } });
 */
export const perCustomer: PerCustomerPart = {
  laneOf,
  createRing: (options, onSealed) => new LaneRings(options, onSealed),
  free: freeByLane,
  putBack,
  halves: halvesOf,
};
