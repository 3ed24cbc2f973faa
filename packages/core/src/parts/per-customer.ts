import { freeByLane, putBack } from '../wait/lanes/free.ts';
import { halvesOf } from '../wait/lanes/halves.ts';
import { ALL_LANES, laneOf } from '../wait/lanes/lane.ts';
import { LaneRings } from '../wait/lanes/lane-rings.ts';
import type { Lanes } from '../wait/lanes/lanes.ts';

/** Part for `ordering: 'per-customer'`. */
export type PerCustomerPart = Lanes;

export const perCustomer: PerCustomerPart = {
  laneOf,
  all: ALL_LANES,
  createRing: (options, onSealed) => new LaneRings(options, onSealed),
  free: freeByLane,
  putBack,
  halves: halvesOf,
};
