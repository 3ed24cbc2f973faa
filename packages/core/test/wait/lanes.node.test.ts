import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { freeByLane } from '../../src/wait/lanes.ts';

/** A parcel of these lanes, with its place among the others. */
function parcelOf(lanes: number, order: number): { readonly lanes: number; readonly order: number } {
  return { lanes, order };
}

describe('the parcels that may be sent', () => {
  it('have no event that is newer than another of its lane that waits, or is in a request', () => {
    const masks = fc.array(fc.integer({ min: 0, max: 15 }), { maxLength: 20 });
    fc.assert(
      fc.property(masks, fc.integer({ min: 0, max: 15 }), (lanes, busy) => {
        const parcels = lanes.map(parcelOf);
        const taken = [...freeByLane(parcels, busy)];
        for (const [index, parcel] of taken.entries()) {
          expect(parcel.lanes & busy).toBe(0);
          const earlier = new Set(taken.slice(0, index));
          for (const other of parcels.slice(0, parcel.order))
            if (!earlier.has(other)) expect(other.lanes & parcel.lanes).toBe(0);
        }
        // All that nothing is in the way of.
        const free = parcels.filter(
          (parcel) =>
            (parcel.lanes & busy) === 0 &&
            parcels.slice(0, parcel.order).every((other) => (other.lanes & parcel.lanes) === 0),
        );
        expect(free.filter((parcel) => !taken.includes(parcel))).toEqual([]);
      }),
    );
  });

  it('are those of the oldest lane first', () => {
    const parcels = [1, 2, 1, 4, 2, 1].map(parcelOf);
    const orders = [...freeByLane(parcels, 0)].map(({ order }) => order);
    expect(orders).toEqual([0, 2, 5, 1, 4, 3]);
  });
});
