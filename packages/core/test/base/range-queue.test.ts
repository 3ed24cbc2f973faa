import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type EpochRange, RangeQueue } from '../../src/base/range-queue.ts';

function range(segment: number, from: number, to: number, epoch = 0): EpochRange {
  return { segment, from, to, epoch };
}

/** Takes all ranges out of the queue, in order. */
function drain(queue: RangeQueue): EpochRange[] {
  const ranges: EpochRange[] = [];
  for (let first = queue.peek(); first !== undefined; first = queue.peek()) {
    ranges.push(queue.shift(first.to - first.from));
  }
  return ranges;
}

describe('RangeQueue', () => {
  it('is empty at first', () => {
    const queue = new RangeQueue();
    expect([queue.count, queue.peek()]).toEqual([0, undefined]);
  });

  it('gives ranges back in the order in which they came, and counts their events', () => {
    const queue = new RangeQueue();
    queue.push(range(1, 0, 3));
    queue.push(range(2, 5, 6));
    queue.push(range(1, 7, 9));
    expect(queue.count).toBe(6);
    expect(drain(queue)).toEqual([range(1, 0, 3), range(2, 5, 6), range(1, 7, 9)]);
    expect(queue.count).toBe(0);
  });

  it('joins neighbours of one segment and one epoch', () => {
    const queue = new RangeQueue();
    for (let from = 0; from < 1_000; from += 10) queue.push(range(1, from, from + 10));
    expect(queue.peek()).toEqual(range(1, 0, 1_000));
  });

  it.each([
    ['a gap', range(1, 4, 5)],
    ['another segment', range(2, 3, 5)],
    ['another epoch', range(1, 3, 5, 1)],
  ])('does not join over %s', (_, second) => {
    const queue = new RangeQueue();
    queue.push(range(1, 0, 3));
    queue.push(second);
    expect(drain(queue)).toEqual([range(1, 0, 3), second]);
  });

  it('takes a part of the first range, from its start', () => {
    const queue = new RangeQueue();
    queue.push(range(3, 10, 20, 4));
    expect(queue.shift(4)).toEqual(range(3, 10, 14, 4));
    expect(queue.peek()).toEqual(range(3, 14, 20, 4));
    expect(queue.count).toBe(6);
  });

  it('refuses to take more than the first range holds, and changes nothing then', () => {
    const queue = new RangeQueue();
    expect(() => queue.shift(1)).toThrow(RangeError);
    queue.push(range(1, 0, 2));
    queue.push(range(2, 0, 5));
    expect(() => queue.shift(3)).toThrow(/3 .*2/);
    expect(queue.count).toBe(7);
    expect(drain(queue)).toEqual([range(1, 0, 2), range(2, 0, 5)]);
  });

  it('leaves the ranges that it was given alone', () => {
    const queue = new RangeQueue();
    const first = Object.freeze(range(1, 0, 3));
    const second = Object.freeze(range(1, 3, 5));
    queue.push(first);
    queue.push(second);
    queue.shift(2);
    expect([first, second]).toEqual([range(1, 0, 3), range(1, 3, 5)]);
  });

  it('passes over a range without events', () => {
    const queue = new RangeQueue();
    queue.push(range(1, 5, 5));
    expect(queue.peek()).toBeUndefined();
    queue.push(range(2, 0, 1));
    expect(drain(queue)).toEqual([range(2, 0, 1)]);
  });
});

describe('RangeQueue, next to a list of single events', () => {
  const push = fc.record({
    kind: fc.constant('push' as const),
    segment: fc.integer({ min: 1, max: 2 }),
    skip: fc.nat({ max: 1 }),
    count: fc.integer({ min: 1, max: 5 }),
    epoch: fc.nat({ max: 1 }),
  });
  const shift = fc.record({ kind: fc.constant('shift' as const), count: fc.integer({ min: 1, max: 7 }) });

  it('does the same', () => {
    const property = fc.property(fc.array(fc.oneof(push, shift), { maxLength: 100 }), (steps) => {
      const queue = new RangeQueue();
      const model: { segment: number; index: number; epoch: number }[] = [];
      const nextIndex = [0, 0, 0];
      for (const step of steps) {
        if (step.kind === 'push') {
          const from = (nextIndex[step.segment] ?? 0) + step.skip;
          const to = from + step.count;
          nextIndex[step.segment] = to;
          queue.push(range(step.segment, from, to, step.epoch));
          for (let index = from; index < to; index += 1) {
            model.push({ segment: step.segment, index, epoch: step.epoch });
          }
        } else {
          const first = queue.peek();
          if (first === undefined) continue;
          const count = Math.min(step.count, first.to - first.from);
          const { segment, from, to, epoch } = queue.shift(count);
          expect(to - from).toBe(count);
          const events = Array.from({ length: count }, (_, at) => ({ segment, index: from + at, epoch }));
          expect(events).toEqual(model.splice(0, count));
        }
        expect(queue.count).toBe(model.length);
        const first = queue.peek();
        expect(first && { segment: first.segment, index: first.from, epoch: first.epoch }).toEqual(model[0]);
      }
    });
    fc.assert(property, { numRuns: 500 });
  });
});
