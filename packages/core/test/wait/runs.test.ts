import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Range } from '../../src/base/range.ts';
import { type EpochCount, type Indexes, Runs } from '../../src/wait/runs.ts';

/** Where one event is: in a segment of the journal at an index, or elsewhere. */
type Place = 'unwritten' | 'handed' | 'forsaken' | 'dropped' | `${number}:${number}`;

interface Event {
  readonly epoch: number;
  readonly place: Place;
}

function placesOf(ranges: readonly Range[]): Place[] {
  return ranges.flatMap(({ segment, from, to }) =>
    Array.from({ length: to - from }, (_, index): Place => `${segment}:${from + index}`),
  );
}

function epochsOf(counts: readonly EpochCount[]): number[] {
  return counts.flatMap(({ epoch, count }) => Array<number>(count).fill(epoch));
}

function placeOf(runs: Runs): Place {
  if (runs.unwritten > 0) return 'unwritten';
  if (runs.handed > 0) return 'handed';
  if (runs.dropped > 0) return 'dropped';
  return placesOf(runs.ranges)[0] ?? 'forsaken';
}

/** The place of each event, read one by one. */
function eachPlace(runs: Runs): Place[] {
  return Array.from({ length: runs.length }, (_, index) => placeOf(runs.slice(index, index + 1)));
}

/** Events side by side that are in such places. */
function sideBySide(events: readonly Event[], isWanted: (place: Place) => boolean): Indexes[] {
  const found: Indexes[] = [];
  for (const [index, { place }] of events.entries()) {
    const last = found.at(-1);
    if (!isWanted(place)) continue;
    if (last?.to === index) found[found.length - 1] = { from: last.from, to: index + 1 };
    else found.push({ from: index, to: index + 1 });
  }
  return found;
}

function isStored(place: Place): boolean {
  return place.includes(':');
}

function expectSame(runs: Runs, events: readonly Event[]): void {
  const places = events.map(({ place }) => place);
  const count = (...wanted: Place[]): number => places.filter((place) => wanted.includes(place)).length;
  expect(eachPlace(runs)).toEqual(places);
  expect(runs.unwritten).toBe(count('unwritten'));
  expect(runs.handed).toBe(count('handed'));
  expect(runs.dropped).toBe(count('dropped'));
  expect(runs.volatile).toBe(count('unwritten', 'handed', 'forsaken'));
  expect(runs.toWrite).toEqual(sideBySide(events, (place) => place === 'unwritten')[0]);
  expect(runs.kept).toEqual(sideBySide(events, (place) => place !== 'dropped'));
  const first = places.findIndex((place) => !isStored(place) && place !== 'dropped');
  expect(runs.writtenFirst).toBe(first < 0 ? places.length : first);
  expect(placesOf(runs.ranges)).toEqual(places.filter(isStored));
  const lasting = events.filter(({ place }) => place !== 'dropped');
  expect(epochsOf(runs.epochs)).toEqual(lasting.map(({ epoch }) => epoch));
}

/** The same steps with an array of events. */
class Model {
  runs = new Runs();
  events: Event[] = [];
  /** No two events have the same place. */
  #next = 0;

  range(count: number): Range {
    this.#next += count + 1;
    return { segment: 1 + (this.#next % 3), from: this.#next, to: this.#next + count };
  }

  push(epoch: number, count: number): void {
    this.runs.push(epoch, count);
    this.events.push(...Array<Event>(count).fill({ epoch, place: 'unwritten' }));
  }

  append(epoch: number, count: number): void {
    const range = this.range(count);
    this.runs.append(new Runs(range, epoch));
    this.events.push(...placesOf([range]).map((place) => ({ epoch, place })));
  }

  hand(count: number): void {
    const next = this.runs.toWrite;
    if (next === undefined) return;
    const indexes = { from: next.from, to: Math.min(next.to, next.from + count) };
    this.runs.hand(indexes);
    this.#change(indexes, () => 'handed');
  }

  handBack(indexes: Indexes): void {
    this.runs.handBack(indexes);
    this.#change(indexes, (place) => (place === 'handed' ? 'unwritten' : place));
  }

  place(indexes: Indexes): void {
    const range = this.range(indexes.to - indexes.from);
    const places = placesOf([range]);
    const unneeded: Place[] = [];
    this.#change(indexes, (place, index) => {
      const given = places[index - indexes.from] ?? place;
      if (place === 'handed') return given;
      unneeded.push(given);
      return place;
    });
    expect(placesOf(this.runs.place(indexes.from, range))).toEqual(unneeded);
  }

  drop(indexes: Indexes): void {
    const ended = this.events.slice(indexes.from, indexes.to).filter(({ place }) => place !== 'dropped');
    expect(epochsOf(this.runs.drop(indexes))).toEqual(ended.map(({ epoch }) => epoch));
    this.#change(indexes, () => 'dropped');
  }

  /** The journal loses, or gives up, what it has of a range. */
  leave(range: Range, how: 'lose' | 'forsake'): void {
    const gone = placesOf([range]);
    for (const indexes of this.runs.in(range)) this.runs[how](indexes);
    const everywhere = { from: 0, to: this.events.length };
    const left = how === 'lose' ? 'unwritten' : 'forsaken';
    this.#change(everywhere, (place) => (gone.includes(place) ? left : place));
  }

  move(range: Range): void {
    const target = this.range(range.to - range.from);
    const [gone, places] = [placesOf([range]), placesOf([target])];
    const found: Place[] = [];
    this.#change({ from: 0, to: this.events.length }, (place) => {
      const moved = places[gone.indexOf(place)];
      if (moved !== undefined) found.push(moved);
      return moved ?? place;
    });
    expect(placesOf(this.runs.move(range, target))).toEqual(found);
  }

  compact(): void {
    this.runs.compact();
    this.events = this.events.filter(({ place }) => place !== 'dropped');
  }

  slice({ from, to }: Indexes): void {
    this.runs = this.runs.slice(from, to);
    this.events = this.events.slice(from, to);
  }

  #change({ from, to }: Indexes, change: (place: Place, index: number) => Place): void {
    this.events = this.events.map((event, index) =>
      index >= from && index < to ? { ...event, place: change(event.place, index) } : event,
    );
  }
}

describe('Runs', () => {
  it('is empty at first', () => {
    const runs = new Runs();
    expect([runs.length, runs.size, runs.writtenFirst, runs.toWrite]).toEqual([0, 0, 0, undefined]);
    expect([runs.ranges, runs.kept, runs.epochs]).toEqual([[], [], []]);
  });

  it('joins neighbours of one segment and one epoch to one place', () => {
    const runs = new Runs({ segment: 1, from: 0, to: 3 }, 4);
    runs.append(new Runs({ segment: 1, from: 3, to: 5 }, 4));
    expect([runs.size, runs.length]).toEqual([1, 5]);
    runs.append(new Runs({ segment: 1, from: 5, to: 6 }, 5));
    runs.append(new Runs({ segment: 1, from: 7, to: 8 }, 5));
    runs.append(new Runs({ segment: 2, from: 8, to: 9 }, 5));
    expect(runs.size).toBe(4);
    expect(runs.ranges).toEqual([
      { segment: 1, from: 0, to: 6 },
      { segment: 1, from: 7, to: 8 },
      { segment: 2, from: 8, to: 9 },
    ]);
  });

  it('finds the events of a range, wherever they lie', () => {
    const runs = new Runs({ segment: 1, from: 6, to: 8 });
    runs.push(0, 1);
    runs.append(new Runs({ segment: 1, from: 0, to: 4 }));
    expect(runs.in({ segment: 1, from: 2, to: 7 })).toEqual([
      { from: 0, to: 1 },
      { from: 5, to: 7 },
    ]);
    expect(runs.in({ segment: 2, from: 0, to: 9 })).toEqual([]);
  });

  it('returns what the journal wrote of events that were dropped meanwhile', () => {
    const runs = new Runs();
    runs.push(0, 3);
    runs.hand({ from: 0, to: 3 });
    runs.drop({ from: 1, to: 2 });
    expect(runs.place(0, { segment: 5, from: 10, to: 13 })).toEqual([{ segment: 5, from: 11, to: 12 }]);
    expect(eachPlace(runs)).toEqual(['5:10', 'dropped', '5:12']);
  });

  it('does the same as an array of places', () => {
    const kinds = [
      'hand',
      'handBack',
      'place',
      'drop',
      'lose',
      'forsake',
      'move',
      'compact',
      'slice',
    ] as const;
    const kind = fc.constantFrom('push', 'append', ...kinds, 'hand', 'place', 'join');
    const step = fc.record({ kind, at: fc.nat(), count: fc.nat({ max: 6 }), epoch: fc.nat({ max: 2 }) });
    const property = fc.property(fc.array(step, { maxLength: 60, size: 'max' }), (steps) => {
      const model = new Model();
      for (const { kind, at, count, epoch } of steps) {
        const { length } = model.events;
        const from = at % (length + 1);
        const indexes = { from, to: Math.min(length, from + count) };
        const [stored] = model.runs.slice(from, length).ranges;
        const some = stored && { ...stored, to: Math.min(stored.to, stored.from + count) };
        if (kind === 'push' || kind === 'append') model[kind](epoch, count + 1);
        else if (kind === 'hand') model.hand(count + 1);
        else if (kind === 'handBack' || kind === 'place' || kind === 'drop') model[kind](indexes);
        else if (kind === 'compact') model.compact();
        else if (kind === 'slice') model.slice({ from: at % 2, to: length - (at % 3 === 0 ? 1 : 0) });
        else if (kind === 'move' && some) model.move(some);
        else if ((kind === 'lose' || kind === 'forsake') && some) model.leave(some, kind);
        else if (kind === 'join') {
          const rest = model.runs.slice(from, length);
          model.runs = model.runs.slice(0, from);
          model.runs.append(rest);
        }
        expectSame(model.runs, model.events);
      }
    });
    fc.assert(property, { numRuns: 200 });
  });
});
