import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '../../../../testing/full.ts';
import type { Limit } from '../../src/base/event-bytes.ts';
import { Epochs } from '../../src/tell/epochs.ts';
import { freeByLane } from '../../src/wait/lanes.ts';
import type { Parcel } from '../../src/wait/parcel.ts';
import { RingBuffer } from '../../src/wait/ring-buffer.ts';
import { toTexts } from '../bench/event-texts.ts';
import { expectSame } from '../bench/expect-same.ts';
import { textWriter } from '../bench/text-writer.ts';

function createRing(limit: Partial<Limit> = {}, sealed: Parcel[] = []): RingBuffer {
  return new RingBuffer(
    {
      limit: { maxEvents: 1_000, maxBytes: 1_000_000, ...limit },
      parcel: { maxEvents: 10, maxBytes: 10_000 },
      isHigh: false,
      isOrdered: true,
      text: textWriter,
      memory: textWriter.createMemory(),
      epochs: new Epochs(),
    },
    (parcel) => sealed.push(parcel),
  );
}

/** Adds numbered events, each of the lane that is the rest of its number. */
function push(ring: RingBuffer, from: number, to: number, lanes: number): boolean[] {
  return Array.from({ length: to - from }, (_, index) =>
    ring.push(String(from + index), 0, (from + index) % lanes),
  );
}

/** The events of each parcel. */
function contentsOf(ring: RingBuffer): string[][] {
  return [...ring.parcels].map(({ events }) => toTexts(events));
}

describe('RingBuffer, if the order of each customer counts', () => {
  it('fills one parcel while less than a batch waits, and knows its lanes', () => {
    const ring = createRing();
    push(ring, 0, 6, 3);
    expect(contentsOf(ring)).toEqual([['0', '1', '2', '3', '4', '5']]);
    expect(ring.first?.lanes).toBe(0b111);
    expect(ring.count).toBe(6);
  });

  it('fills a parcel for each lane once more waits, and keeps the order of each', () => {
    const sealed: Parcel[] = [];
    const ring = createRing({}, sealed);
    push(ring, 0, 51, 2);
    const later = [...ring.parcels].filter(({ lanes }) => lanes !== 0b11);
    expect(new Set(later.map(({ lanes }) => lanes))).toEqual(new Set([1, 2]));
    for (const { events, lanes } of later)
      for (const text of toTexts(events)) expect(1 << (Number(text) % 2)).toBe(lanes);
    ring.seal();
    expect(new Set(sealed)).toEqual(new Set(ring.parcels));
  });

  it('keeps the bounds of all together', () => {
    const ring = createRing({ maxEvents: 30 });
    expect(push(ring, 0, 31, 4).filter(Boolean).length).toBe(30);
    const [first = expect.fail()] = ring.parcels;
    ring.remove(first);
    expect(ring.count).toBe(30 - first.count);
    expect(push(ring, 31, 32, 4)).toEqual([true]);
    const small = createRing({ maxBytes: 10 });
    expect(push(small, 10, 15, 4)).toEqual([true, true, true, false, false]);
  });

  it('fills one parcel again once nothing waits', () => {
    const ring = createRing();
    push(ring, 0, 40, 4);
    for (const parcel of [...ring.parcels]) ring.remove(parcel);
    expect([ring.count, ring.bytes, ring.first]).toEqual([0, 0, undefined]);
    push(ring, 40, 44, 4);
    expect(contentsOf(ring)).toEqual([['40', '41', '42', '43']]);
  });

  it('puts back what is left of a parcel where it was', () => {
    const ring = createRing();
    push(ring, 0, 25, 2);
    const [first = expect.fail()] = ring.parcels;
    ring.remove(first);
    ring.putBack(first.cut({ from: 4, to: first.count }));
    expect(contentsOf(ring)[0]).toEqual(['4', '5', '6', '7', '8', '9']);
    expect(ring.count).toBe(21);
  });

  it('gives the events of each lane in order, none of a lane that is busy, and none behind one that may not go', () => {
    const lane = fc.integer({ min: 0, max: 3 });
    const sent = fc.record({
      busy: fc.integer({ min: 0, max: 15 }),
      barred: fc.integer({ max: 9 }),
      part: fc.nat(4),
      isSpill: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(fc.oneof({ weight: 9, arbitrary: lane }, sent), { size: '+2' }), (steps) => {
        const ring = createRing();
        const waiting: string[][] = [[], [], [], []];
        const expectNext = ({ events }: Parcel) => {
          const texts = toTexts(events);
          const due = texts.flatMap((text) =>
            waiting.filter(([first]) => first === text).map((lane) => lane.shift()),
          );
          expectSame(due.join(), texts.join());
        };
        let next = 0;
        for (const step of steps) {
          if (typeof step === 'number') {
            expectSame(ring.push(`${next}`, 0, step), true);
            waiting[step]?.push(`${next}`);
            next += 1;
            continue;
          }
          const barred = [...ring.parcels][step.barred];
          const { first } = ring;
          if (step.isSpill && first) {
            ring.remove(first);
            expectNext(first);
            continue;
          }
          const free = [...freeByLane(ring.parcels, step.busy, (parcel) => parcel !== barred)];
          expectSame(barred !== undefined && free.includes(barred), false);
          for (const parcel of free) {
            expectSame(parcel.lanes & step.busy, 0);
            ring.remove(parcel);
            const count = Math.max(1, parcel.count - step.part);
            if (count < parcel.count) ring.putBack(parcel.cut({ from: count, to: parcel.count }));
            expectNext(parcel.cut({ from: 0, to: count }));
            // Its rest holds up the others of its lanes.
            if (step.part > 0) break;
          }
          expectSame(ring.count, waiting.flat().length);
        }
      }),
      { numRuns: cases(100) },
    );
  });
});
