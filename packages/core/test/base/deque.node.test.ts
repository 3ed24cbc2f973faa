import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '../../../../testing/full.ts';
import { Deque } from '../../src/base/deque.ts';
import { expectSame } from '../bench/expect-same.ts';

function dequeOf(...items: readonly number[]): Deque<number> {
  const deque = new Deque<number>();
  for (const item of items) deque.push(item);
  return deque;
}

/** Removes the first item. */
function shift(deque: Deque<number>): number | undefined {
  const { first } = deque;
  if (first !== undefined) deque.remove(first);
  return first;
}

/** What can be seen of a list. */
function lookAt(deque: Deque<number>): unknown {
  return [deque.first, [...deque]];
}

describe('Deque', () => {
  it('is empty at first', () => {
    const deque = new Deque<number>();
    expect(lookAt(deque)).toEqual([undefined, []]);
    expect(shift(deque)).toBeUndefined();
    expect(lookAt(deque)).toEqual([undefined, []]);
  });

  it('gives items back in the order in which they were added', () => {
    const deque = dequeOf(1, 2, 3);
    expect([shift(deque), shift(deque), shift(deque), shift(deque)]).toEqual([1, 2, 3, undefined]);
  });

  it('takes items before all others', () => {
    const deque = dequeOf(2);
    deque.unshift(1);
    deque.unshift(0);
    deque.push(3);
    expect(lookAt(deque)).toEqual([0, [0, 1, 2, 3]]);
  });

  it('keeps only some items', () => {
    const deque = dequeOf(9, 1, 2, 3);
    shift(deque);
    deque.filter((item) => item !== 1);
    expect(lookAt(deque)).toEqual([2, [2, 3]]);
  });

  it('does the same as an array', () => {
    const kinds = ['push', 'push', 'unshift', 'shift', 'shift', 'remove', 'filter', 'insert'] as const;
    const kind = fc.constantFrom(...kinds);
    const step = fc.record({ kind, times: fc.integer({ min: 1, max: 40 }) });
    const property = fc.property(fc.array(step, { maxLength: 40, size: 'max' }), (steps) => {
      const deque = new Deque<number>();
      let model: number[] = [];
      let next = 0;
      for (const { kind, times } of steps) {
        if (kind === 'filter') {
          const isKept = (item: number) => item % times !== 0;
          deque.filter(isKept);
          model = model.filter(isKept);
        }
        for (let time = 0; kind !== 'filter' && time < times; time += 1) {
          next += 1;
          if (kind === 'shift') expectSame(shift(deque), model.shift());
          else if (kind === 'remove') {
            const item = model[time * 2] ?? 0;
            deque.remove(item);
            model = model.filter((other) => other !== item);
          } else if (kind === 'insert') {
            const goesAfter = (item: number) => item % 7 === time % 7;
            const index = model.findIndex(goesAfter);
            deque.insert(next, goesAfter);
            model.splice(index < 0 ? model.length : index, 0, next);
          } else {
            deque[kind](next);
            model[kind](next);
          }
        }
        expect(lookAt(deque)).toEqual([model[0], model]);
      }
    });
    fc.assert(property, { numRuns: cases(200) });
  });
});
