import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Limit } from '../../src/base/event-bytes.ts';
import type { Range } from '../../src/base/range.ts';
import { copyOf } from '../../src/wait/contents.ts';

import { Parcel, storedParcel } from '../../src/wait/parcel.ts';
import { type Indexes, Runs } from '../../src/wait/runs.ts';
import { toEventBytes, toTexts } from '../bench/event-texts.ts';
import { textWriter } from '../bench/text-writer.ts';

const ALL: Limit = { maxEvents: 1_000, maxBytes: 1_000_000 };
const memory = textWriter.createMemory();

function parcelOf(texts: readonly string[], epoch = 0): Parcel {
  const runs = new Runs();
  runs.push(epoch, texts.length);
  const times = Float64Array.from(texts, (_, index) => 100 + index);
  return new Parcel(runs, false, copyOf([{ ...toEventBytes(texts), times }], memory));
}

function bodyOf({ body }: Parcel): string {
  return new TextDecoder().decode(body);
}

function range(from: number, to: number): Range {
  return { segment: 1, from, to };
}

describe('Parcel', () => {
  it('has the body of a request, which is made once', () => {
    const parcel = parcelOf(['1', '2']);
    expect(bodyOf(parcel)).toBe('{"batch":[1,2]}');
    expect(parcel.body).toBe(parcel.body);
  });

  it('hands its events to the journal within a limit, each once', () => {
    const parcel = parcelOf(['1', '22', '333']);
    const hand = (limit: Limit): unknown => {
      const handed = parcel.hand(limit);
      return handed && { texts: toTexts(handed.events), at: handed.at };
    };
    expect(hand({ ...ALL, maxEvents: 1 })).toEqual({ texts: ['1'], at: 0 });
    expect(hand({ ...ALL, maxBytes: 2 })).toEqual({ texts: ['22'], at: 1 });
    expect(hand(ALL)).toEqual({ texts: ['333'], at: 2 });
    expect(hand(ALL)).toBeUndefined();
    expect([parcel.runs.handed, parcel.isWritten]).toEqual([3, false]);
  });

  it('knows when its oldest event was accepted, also after it was cut', () => {
    const parcel = parcelOf(['1', '2', '3']);
    expect(parcel.at).toBe(100);
    expect(parcel.cut({ from: 2, to: 3 }, memory).at).toBe(102);
    parcel.dropFirst(1);
    expect(parcel.at).toBe(101);
    expect(
      new Parcel(new Runs(range(0, 1)), false, copyOf([toEventBytes(['1'])], memory)).at,
    ).toBeUndefined();
  });

  it('makes a new body after it lost events', () => {
    const parcel = parcelOf(['1', '2', '3', '4']);
    expect(bodyOf(parcel)).toBe('{"batch":[1,2,3,4]}');
    expect(parcel.split(3, memory).map(bodyOf)).toEqual(['{"batch":[1,2,3]}', '{"batch":[4]}']);
    expect(bodyOf(parcel)).toBe('{"batch":[1,2,3]}');
    parcel.dropFirst(1);
    expect(bodyOf(parcel)).toBe('{"batch":[2,3]}');
  });

  it('splits what only the journal has', () => {
    const parcel = storedParcel(range(10, 20), 3, true, 50);
    parcel.isSent = true;
    const [, rest] = parcel.split(4, memory);
    expect([parcel.runs.ranges, rest.runs.ranges]).toEqual([[range(10, 14)], [range(14, 20)]]);
    expect([rest.at, rest.isHigh, rest.isSent, rest.isInMemory, rest.state]).toEqual([
      ...[50, true, true, false, 'stored'],
    ]);
    expect(rest.runs.epochs).toMatchObject([{ epoch: 3, count: 6 }]);
  });

  it('leaves its events to the journal, without those that were dropped', () => {
    const parcel = parcelOf(['1', '2', '3']);
    parcel.hand(ALL);
    parcel.place(0, range(5, 8));
    parcel.runs.drop({ from: 1, to: 2 });
    const before = parcel.contents.memory;
    expect(parcel.store()).toBe(before);
    expect([parcel.state, parcel.isInMemory, parcel.count, parcel.runs.length]).toEqual([
      ...['stored', false, 2, 2],
    ]);
    expect(() => parcel.events).toThrow('these events are not in memory');
    expect(parcel.store()).toBeUndefined();
  });

  it('counts what it drops by epoch, wherever the events are by then', () => {
    const parcel = parcelOf(['1', '2', '3', '4'], 7);
    parcel.hand(ALL);
    const parts = [parcel.cut({ from: 0, to: 1 }, memory), parcel.cut({ from: 1, to: 4 }, memory)];
    parcel.state = 'ended';
    expect(parcel.handBack(0, 3)).toEqual(parts);
    expect(parcel.dropUnwritten(0, 3)).toMatchObject([
      { epoch: 7, count: 1 },
      { epoch: 7, count: 2 },
    ]);
    expect(parts.map(({ count }) => count)).toEqual([0, 1]);
  });
});

interface Held {
  readonly parcel: Parcel;
  texts: string[];
}

interface Append {
  readonly parcel: Parcel;
  readonly at: number;
  readonly texts: readonly string[];
}

/** Events in parcels, and what should be known of each. */
class Model {
  held: Held[];
  appends: Append[] = [];
  /** Where each event is. */
  readonly #places = new Map<string, string>();
  #next = 0;

  constructor(count: number) {
    const texts = Array.from({ length: count }, (_, index) => `${index}`);
    for (const text of texts) this.#places.set(text, 'unwritten');
    this.held = [{ parcel: parcelOf(texts), texts }];
  }

  hand({ parcel }: Held, maxEvents: number): void {
    const handed = parcel.hand({ ...ALL, maxEvents });
    if (handed === undefined) return;
    const texts = toTexts(handed.events);
    for (const text of texts) this.#places.set(text, 'handed');
    this.appends.push({ parcel, at: handed.at, texts });
  }

  /** The journal gives each event of an append the next index. */
  place({ parcel, at, texts }: Append): void {
    const from = this.#next;
    this.#next += texts.length + 1;
    const unneeded: string[] = [];
    for (const [index, text] of texts.entries()) {
      const place = `${from + index}`;
      if (this.#places.get(text) === 'handed') this.#places.set(text, place);
      else unneeded.push(place);
    }
    const found = parcel.place(at, range(from, from + texts.length)).flatMap(placesOf);
    expect(found.sort()).toEqual(unneeded.sort());
  }

  handBack({ parcel, at, texts }: Append): void {
    const isBack = (text: string): boolean => this.#places.get(text) === 'handed' && texts.includes(text);
    const back = this.held.filter(({ texts }) => texts.some(isBack));
    expect(parcel.handBack(at, texts.length)).toEqual(
      expect.arrayContaining(back.map(({ parcel }) => parcel)),
    );
    for (const text of texts) if (isBack(text)) this.#places.set(text, 'unwritten');
  }

  /** All events go on in two other parcels. */
  cut(held: Held, at: number): void {
    const { parcel, texts } = held;
    const second = { parcel: parcel.cut({ from: at, to: texts.length }, memory), texts: texts.slice(at) };
    const first = { parcel: parcel.cut({ from: 0, to: at }, memory), texts: texts.slice(0, at) };
    parcel.state = 'ended';
    this.held = this.held.flatMap((other) => (other === held ? [first, second] : [other]));
  }

  /** The last events go on in another parcel, and the first ones too if an append of them is in progress. */
  split(held: Held, at: number): void {
    const { parcel, texts } = held;
    const [first, rest] = parcel.split(at, memory);
    const parts = [
      { parcel: first, texts: texts.slice(0, at) },
      { parcel: rest, texts: texts.slice(at) },
    ];
    this.held = this.held.flatMap((other) => (other === held ? parts : [other]));
  }

  /** The first events go on in another parcel, if nobody writes them. */
  dropFirst({ parcel, texts }: Held, count: number): void {
    if (texts.slice(0, count).some((text) => this.#isInAppend(text))) return;
    const first = parcel.cut({ from: 0, to: count }, memory);
    parcel.dropFirst(count);
    this.held.push({ parcel: first, texts: texts.splice(0, count) });
  }

  drop({ parcel, texts }: Held, { from, to }: Indexes): void {
    parcel.runs.drop({ from, to });
    for (const text of texts.slice(from, to)) this.#places.set(text, 'dropped');
  }

  end(held: Held): void {
    held.parcel.state = 'ended';
    this.held = this.held.filter((other) => other !== held);
    for (const text of held.texts) this.#places.set(text, 'ended');
  }

  check(): void {
    for (const { parcel, texts } of this.held) {
      expect(toTexts(parcel.events)).toEqual(texts);
      expect(parcel.runs.length).toBe(texts.length);
      const places = texts.map((_, index) => placeOf(parcel.runs.slice(index, index + 1)));
      expect(places).toEqual(texts.map((text) => this.#places.get(text)));
    }
  }

  #isInAppend(text: string): boolean {
    return this.appends.some(({ texts }) => texts.includes(text));
  }
}

function placesOf({ from, to }: Range): string[] {
  return Array.from({ length: to - from }, (_, index) => `${from + index}`);
}

function placeOf(runs: Runs): string {
  if (runs.unwritten > 0) return 'unwritten';
  if (runs.handed > 0) return 'handed';
  return runs.ranges.flatMap(placesOf)[0] ?? 'dropped';
}

describe('Parcel, while the journal writes its events', () => {
  it('gives each event the place that the journal gave it, and returns the places that nobody needs', () => {
    const kinds = ['cut', 'split', 'dropFirst', 'drop', 'end', 'place', 'handBack'] as const;
    const kind = fc.constantFrom('hand', 'hand', 'place', ...kinds);
    const step = fc.record({
      kind,
      which: fc.nat(),
      number: fc.nat(),
      count: fc.integer({ min: 1, max: 5 }),
    });
    const steps = fc.array(step, { maxLength: 40, size: 'max' });
    const property = fc.property(fc.integer({ min: 1, max: 20 }), steps, (events, steps) => {
      const model = new Model(events);
      for (const { kind, which, number, count } of steps) {
        const held = model.held[which % Math.max(1, model.held.length)];
        if (kind === 'place' || kind === 'handBack') {
          for (const append of model.appends.splice(which % Math.max(1, model.appends.length), 1))
            model[kind](append);
        } else if (held) {
          const { length } = held.texts;
          const at = 1 + (number % Math.max(1, length - 1));
          if (kind === 'hand') model.hand(held, count);
          else if (kind === 'drop') model.drop(held, { from: at - 1, to: Math.min(length, at - 1 + count) });
          else if (kind === 'end') model.end(held);
          else if (length > 1) model[kind](held, at);
        }
        model.check();
      }
      for (const append of model.appends) model.place(append);
      model.check();
    });
    fc.assert(property, { numRuns: 500 });
  });
});
