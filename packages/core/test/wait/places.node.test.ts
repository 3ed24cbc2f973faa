import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '../../../../testing/full.ts';
import type { Range, Span } from '../../src/base/range.ts';
import { Places } from '../../src/wait/places.ts';

/** Where one event is: in a segment of the journal at an index, or a mark. */
type Place = 'nowhere' | 'handed' | 'forsaken' | `${number}:${number}`;

const MARKS = { nowhere: Places.NOWHERE, handed: Places.HANDED, forsaken: Places.FORSAKEN } as const;

function placesOf(ranges: readonly Range[]): Place[] {
  return ranges.flatMap(({ segment, from, to }) =>
    Array.from({ length: to - from }, (_, index): Place => `${segment}:${from + index}`),
  );
}

function isStored(place: Place): boolean {
  return place.includes(':');
}

/** The place of each event, read one by one. */
function eachPlace(places: Places): Place[] {
  return Array.from({ length: places.count }, (_, index) => {
    const one = places.slice({ from: index, to: index + 1 });
    for (const name of ['nowhere', 'handed', 'forsaken'] as const) if (one.has(MARKS[name])) return name;
    return placesOf(one.ranges)[0] ?? 'nowhere';
  });
}

/** Events side by side that have a place. */
function sideBySide(events: readonly Place[], isWanted: (place: Place) => boolean): number[] {
  return [...events.keys()].filter((index) => isWanted(events[index] ?? 'nowhere'));
}

function indexesOf(spans: readonly Span[]): number[] {
  return spans.flatMap(({ from, to }) => Array.from({ length: to - from }, (_, index) => from + index));
}

/** The same steps with an array. */
class Model {
  places = new Places();
  events: Place[] = [];
  #next = 0;

  #range(count: number): Range {
    this.#next += count + 1;
    return { segment: 1 + (this.#next % 3), from: this.#next, to: this.#next + count };
  }

  push(_: Span, count: number): void {
    this.places.push(count);
    this.events.push(...Array<Place>(count).fill('nowhere'));
  }

  append(_: Span, count: number): void {
    const range = this.#range(count);
    this.places.append(new Places(range));
    this.events.push(...placesOf([range]));
  }

  hand(span: Span): void {
    this.#mark(span, 'handed');
  }

  forsake(span: Span): void {
    this.#mark(span, 'forsaken');
  }

  remove(span: Span): void {
    this.places.remove(span);
    this.events.splice(span.from, span.to - span.from);
  }

  slice(span: Span): void {
    this.places = this.places.slice(span);
    this.events = this.events.slice(span.from, span.to);
  }

  appended(): void {
    const handed = sideBySide(this.events, (place) => place === 'handed');
    const range = this.#range(handed.length);
    this.places.appended(range);
    const given = placesOf([range]);
    for (const [number, index] of handed.entries()) this.events[index] = given[number] ?? 'nowhere';
  }

  handBack(): void {
    this.places.appended();
    this.events = this.events.map((place) => (place === 'handed' ? 'nowhere' : place));
  }

  /** The journal has events of a range in another one now. */
  move(span: Span): void {
    const from = this.events[span.from];
    if (from === undefined || !isStored(from)) return;
    const [segment = 0, index = 0] = from.split(':').map(Number);
    const range = { segment, from: index, to: index + 1 };
    const target = this.#range(1);
    const copies = this.events.filter((place) => place === from);
    expect(this.places.move(range, target)).toEqual(copies.map(() => target));
    const [moved = from] = placesOf([target]);
    this.events = this.events.map((place) => (place === from ? moved : place));
  }

  check(): void {
    const { events, places } = this;
    const names = ['nowhere', 'handed', 'forsaken'] as const;
    const ranges = [1, 2, 3].map((segment) => ({ segment, from: 5, to: 40 }));
    // One comparison for all: thousands of steps are checked.
    expect({
      each: eachPlace(places),
      count: places.count,
      stored: placesOf(places.ranges),
      volatile: places.volatile,
      marked: names.map((name) => indexesOf(places.marked(MARKS[name]))),
      found: ranges.map((range) => indexesOf(places.find(range))),
    }).toEqual({
      each: events,
      count: events.length,
      stored: events.filter(isStored),
      volatile: events.filter((place) => !isStored(place)).length,
      marked: names.map((name) => sideBySide(events, (place) => place === name)),
      found: ranges.map((range) => {
        const wanted = placesOf([range]);
        return sideBySide(events, (place) => wanted.includes(place));
      }),
    });
  }

  #mark(span: Span, name: keyof typeof MARKS): void {
    this.places.mark(span, MARKS[name]);
    this.events.fill(name, span.from, span.to);
  }
}

describe('Places', () => {
  it('has as few ranges as there are places', () => {
    const places = new Places({ segment: 1, from: 0, to: 3 }, { segment: 1, from: 3, to: 5 });
    places.push(2);
    places.push(3);
    expect([places.count, places.size]).toEqual([10, 2]);
    expect(places.ranges).toEqual([{ segment: 1, from: 0, to: 5 }]);
  });

  it('does the same as an array with the place of each event', () => {
    const kinds = [
      'push',
      'append',
      'hand',
      'forsake',
      'remove',
      'slice',
      'appended',
      'handBack',
      'move',
    ] as const;
    const step = fc.record({
      kind: fc.constantFrom(...kinds),
      at: fc.nat(),
      count: fc.integer({ min: 1, max: 6 }),
    });
    const property = fc.property(fc.array(step, { maxLength: 40, size: 'max' }), (steps) => {
      const model = new Model();
      model.push({ from: 0, to: 0 }, 10);
      for (const { kind, at, count } of steps) {
        const { length } = model.events;
        const from = length === 0 ? 0 : at % length;
        model[kind]({ from, to: Math.min(length, from + count) }, count);
        model.check();
      }
    });
    fc.assert(property, { numRuns: cases(500, 200) });
  });
});
