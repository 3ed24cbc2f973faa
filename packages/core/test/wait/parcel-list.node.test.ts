import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '../../../../testing/full.ts';
import type { Range } from '../../src/base/range.ts';
import { Epochs } from '../../src/tell/epochs.ts';
import { Contents } from '../../src/wait/contents.ts';
import { Parcel } from '../../src/wait/parcel.ts';
import { ParcelList } from '../../src/wait/parcel-list.ts';
import { Places } from '../../src/wait/places.ts';
import { toEventBytes } from '../bench/event-texts.ts';
import { expectSame } from '../bench/expect-same.ts';
import { textWriter } from '../bench/text-writer.ts';

const memory = textWriter.createMemory();

function range(from: number, to: number): Range {
  return { segment: 1, from, to };
}

function stored(from: number, to: number, at?: number): Parcel {
  return new Parcel(new Places(range(from, to)), 0, false, undefined, at);
}

/** Removes the first parcel. */
function shift(list: ParcelList): Parcel | undefined {
  const { first } = list;
  if (first) list.remove(first);
  return first;
}

/** A parcel in memory, written or not. */
function inMemory(texts: readonly string[], at?: number): Parcel {
  const places = at === undefined ? new Places() : new Places(range(at, at + texts.length));
  if (at === undefined) places.push(texts.length);
  return new Parcel(places, 0, false, new Contents(memory, 0).copy(toEventBytes(texts)));
}

function listOf(...parcels: readonly Parcel[]): ParcelList {
  const list = new ParcelList(new Epochs());
  for (const parcel of parcels) list.push(parcel);
  return list;
}

function rangesOf(list: ParcelList): Range[][] {
  return [...list].map(({ places }) => places.ranges);
}

describe('ParcelList', () => {
  it('is empty at first', () => {
    const list = new ParcelList(new Epochs());
    expect([list.count, list.first, [...list]]).toEqual([0, undefined, []]);
  });

  it('counts the events of its parcels', () => {
    const list = listOf(inMemory(['1', '2']), stored(0, 5));
    list.putBack(inMemory(['3']));
    expect(list.count).toBe(8);
    shift(list);
    expect(list.count).toBe(7);
  });

  it('joins parcels that only the journal has', () => {
    const [first, second] = [stored(0, 5, 20), stored(7, 9, 10)];
    const list = listOf(first, second);
    expect(rangesOf(list)).toEqual([[range(0, 5), range(7, 9)]]);
    expect([list.first, list.count, first.at, second.isEnded]).toEqual([first, 7, 10, true]);
  });

  it('does not say that joined events are younger than they may be', () => {
    const list = listOf(stored(0, 5), stored(7, 9, 10));
    expect(list.first?.at).toBeUndefined();
  });

  it('joins none that is in memory', () => {
    const parcels = [stored(0, 5), inMemory(['1'], 5), stored(6, 7)];
    expect([...listOf(...parcels)]).toEqual(parcels);
  });

  it('joins those of the same lanes, unless others of these lanes came between', () => {
    const of = (lanes: number, at: number) => Object.assign(stored(at, at + 1), { lanes });
    const list = listOf(of(1, 0), of(2, 1), of(1, 2), of(3, 3), of(1, 4), of(2, 5), of(4, 6), of(2, 7));
    expect([...list].map(({ lanes, count }) => [lanes, count])).toEqual([
      [1, 2],
      [2, 1],
      [3, 1],
      [1, 1],
      [2, 2],
      [4, 1],
    ]);
  });

  it('joins up to 64 places', () => {
    const list = listOf(...Array.from({ length: 100 }, (_, index) => stored(index * 2, index * 2 + 1)));
    expect([...list].map(({ count }) => count)).toEqual([64, 36]);
    expect(list.count).toBe(100);
  });

  it('takes out parcels that have no events any more', () => {
    const list = listOf(stored(0, 5), inMemory(['1'], 5), stored(6, 9));
    for (const parcel of list) for (const span of parcel.places.find(range(2, 7))) parcel.remove(span);
    list.recount();
    expect(rangesOf(list)).toEqual([[range(0, 2)], [range(7, 9)]]);
    expect(list.count).toBe(4);
  });

  it('counts joined events to the oldest of their epochs', async () => {
    const epochs = new Epochs();
    const list = new ParcelList(epochs);
    for (const number of [0, 1]) {
      epochs.enter(1);
      list.push(new Parcel(new Places(range(number, number + 1)), epochs.end(), false));
    }
    const [parcel = expect.fail(), ...others] = list;
    expect([others, parcel.epoch, parcel.count]).toEqual([[], 0, 2]);
    epochs.settle(parcel);
    await epochs.settled(1, new AbortController().signal);
  });

  it('does the same as an array of events', () => {
    const kind = fc.constantFrom('push', 'push', 'pushMemory', 'unshift', 'shift', 'drop');
    const step = fc.record({ kind, at: fc.nat(), count: fc.integer({ min: 1, max: 6 }) });
    const property = fc.property(fc.array(step, { maxLength: 60, size: 'max' }), (steps) => {
      const list = new ParcelList(new Epochs());
      let model: number[] = [];
      let next = 0;
      for (const { kind, at, count } of steps) {
        const added = range(next, next + count);
        const indexes = Array.from({ length: count }, (_, index) => added.from + index);
        next += count + (at % 2);
        if (kind === 'push') list.push(stored(added.from, added.to));
        if (kind === 'pushMemory') list.push(inMemory(indexes.map(String), added.from));
        if (kind === 'unshift') list.putBack(stored(added.from, added.to));
        if (kind === 'push' || kind === 'pushMemory') model.push(...indexes);
        if (kind === 'unshift') model.unshift(...indexes);
        if (kind === 'shift') {
          const indexes = shift(list)?.places.ranges.flatMap(indexesOf) ?? [];
          expectSame(indexes.join(), model.splice(0, indexes.length).join());
        }
        if (kind === 'drop') {
          const from = at % next;
          const gone = range(from, from + count);
          for (const parcel of list)
            for (const span of parcel.places.find(gone).toReversed()) parcel.remove(span);
          list.recount();
          model = model.filter((index) => index < gone.from || index >= gone.to);
        }
        expectSame(list.count, model.length);
        expectSame(rangesOf(list).flat().flatMap(indexesOf).join(), model.join());
        expectSame(
          [...list].every((parcel) => parcel.count > 0),
          true,
        );
      }
    });
    fc.assert(property, { numRuns: cases(200) });
  });
});

function indexesOf({ from, to }: Range): number[] {
  return Array.from({ length: to - from }, (_, index) => from + index);
}

it('joins no later parcel to one for which a flush waits: it would wait for both', () => {
  const epochs = new Epochs();
  const list = new ParcelList(epochs);
  const parcelOf = (from: number) => new Parcel(new Places(range(from, from + 1)), epochs.current, false);
  epochs.enter(1);
  list.push(parcelOf(0));
  const over = new AbortController();
  void epochs.settled(epochs.end(), over.signal);
  for (const from of [1, 2]) {
    epochs.enter(1);
    list.push(parcelOf(from));
  }
  expect(rangesOf(list)).toEqual([[range(0, 1)], [range(1, 3)]]);
  over.abort();
});
