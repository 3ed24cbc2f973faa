import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '../../../../testing/full.ts';
import type { Range } from '../../src/base/range.ts';
import { Places } from '../../src/wait/places.ts';
import { expectSame } from '../bench/expect-same.ts';

function range(segment: number, from: number, to: number): Range {
  return { segment, from, to };
}

function listOf(...ranges: readonly Range[]): Places {
  const list = new Places();
  for (const one of ranges) list.add(one);
  return list;
}

describe('Places', () => {
  it('is empty at first', () => {
    const list = listOf();
    expect([list.count, list.ranges[0], list.ranges]).toEqual([0, undefined, []]);
  });

  it('keeps ranges in the order in which they came, and counts their events', () => {
    const list = listOf(range(1, 0, 3), range(2, 5, 6), range(1, 7, 9));
    expect([list.count, list.ranges[0]]).toEqual([6, range(1, 0, 3)]);
    expect(list.ranges).toEqual([range(1, 0, 3), range(2, 5, 6), range(1, 7, 9)]);
  });

  it('joins neighbours of one segment', () => {
    const list = listOf();
    for (let from = 0; from < 1_000; from += 10) list.add(range(1, from, from + 10));
    expect(list.ranges).toEqual([range(1, 0, 1_000)]);
  });

  it.each([
    ['a gap', range(1, 4, 5)],
    ['another segment', range(2, 3, 5)],
  ])('does not join over %s', (_, second) => {
    expect(listOf(range(1, 0, 3), second).ranges).toEqual([range(1, 0, 3), second]);
  });

  it('leaves the ranges that it was given alone', () => {
    const given = [range(1, 0, 3), range(1, 3, 5)].map((one) => Object.freeze(one));
    listOf(...given).cut(range(1, 1, 4));
    expect(given).toEqual([range(1, 0, 3), range(1, 3, 5)]);
  });

  it('passes over a range without events', () => {
    expect(listOf(range(1, 5, 5)).ranges[0]).toBeUndefined();
    expect(listOf(range(1, 5, 5), range(2, 0, 1)).ranges).toEqual([range(2, 0, 1)]);
  });

  it('can be changed while its ranges are being read', () => {
    const list = listOf(range(1, 0, 3), range(2, 0, 3));
    for (const one of list.ranges) list.cut(one);
    expect([list.count, list.ranges]).toEqual([0, []]);
  });
});

describe('Places, next to a list of single events', () => {
  const part = {
    segment: fc.integer({ min: 1, max: 2 }),
    skip: fc.nat({ max: 1 }),
    count: fc.integer({ min: 1, max: 5 }),
  };
  const push = fc.record({ kind: fc.constant('push' as const), ...part });
  const cut = fc.record({ kind: fc.constant('cut' as const), ...part, skip: fc.nat({ max: 60 }) });

  it('does the same', () => {
    const property = fc.property(fc.array(fc.oneof(push, cut), { maxLength: 100 }), (steps) => {
      const list = new Places();
      let model: { segment: number; index: number }[] = [];
      const nextIndex = [0, 0, 0];
      for (const { kind, segment, skip, count } of steps) {
        const from = kind === 'cut' ? skip : (nextIndex[segment] ?? 0) + skip;
        const changed = range(segment, from, from + count);
        if (kind === 'push') {
          nextIndex[segment] = changed.to;
          list.add(changed);
          for (let index = from; index < changed.to; index += 1) model.push({ segment, index });
        } else {
          const left = model.filter(
            ({ segment, index }) => segment !== changed.segment || index < from || index >= changed.to,
          );
          expectSame(list.cut(changed), model.length - left.length);
          model = left;
        }
        expectSame(list.count, model.length);
      }
      const events = list.ranges.flatMap(({ segment, from, to }) =>
        Array.from({ length: to - from }, (_, at) => ({ segment, index: from + at })),
      );
      expect(events).toEqual(model);
    });
    fc.assert(property, { numRuns: cases(500) });
  });
});
