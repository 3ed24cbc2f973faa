import { describe, expect, it } from 'vitest';
import type { Limit } from '../../src/base/event-bytes.ts';
import type { Range } from '../../src/base/range.ts';
import { Contents } from '../../src/wait/contents.ts';
import { Parcel } from '../../src/wait/parcel.ts';
import { Places } from '../../src/wait/places.ts';
import { toEventBytes, toTexts } from '../bench/event-texts.ts';
import { textWriter } from '../bench/text-writer.ts';

const ALL: Limit = { maxEvents: 1_000, maxBytes: 1_000_000 };
const memory = textWriter.createMemory();

function parcelOf(texts: readonly string[], epoch = 0): Parcel {
  const places = new Places();
  places.push(texts.length);
  const times = Float64Array.from(texts, (_, index) => 100 + index);
  return new Parcel(places, epoch, false, new Contents(memory, 0).copy({ ...toEventBytes(texts), times }));
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

  it('leaves the bytes of a body alone that a request may still read', () => {
    const parcel = parcelOf(['1', '2', '3']);
    const { body } = parcel;
    const rest = parcel.cut({ from: 1, to: 3 });
    parcel.remove({ from: 1, to: 3 });
    expect([bodyOf(parcel), bodyOf(rest)]).toEqual(['{"batch":[1]}', '{"batch":[2,3]}']);
    expect(new TextDecoder().decode(body)).toBe('{"batch":[1,2,3]}');
    expect([parcel.store(), rest.store()]).toEqual([undefined, undefined]);
  });

  it('hands its events to the journal within a limit, each once', () => {
    const parcel = parcelOf(['1', '22', '333']);
    const hand = (limit: Limit): unknown => {
      const events = parcel.hand(limit);
      return events && toTexts(events);
    };
    expect(hand({ ...ALL, maxEvents: 1 })).toEqual(['1']);
    expect(hand({ ...ALL, maxBytes: 2 })).toEqual(['22']);
    expect(hand(ALL)).toEqual(['333']);
    expect(hand(ALL)).toBeUndefined();
    expect([parcel.isHanded, parcel.isWritten]).toEqual([true, false]);
    parcel.places.appended(range(4, 7));
    expect([parcel.isHanded, parcel.isWritten, parcel.places.ranges]).toEqual([false, true, [range(4, 7)]]);
  });

  it('knows when its oldest event was accepted, also after it was cut', () => {
    const parcel = parcelOf(['1', '2', '3']);
    expect(parcel.at).toBe(100);
    expect(parcel.cut({ from: 2, to: 3 }).at).toBe(102);
    const unknown = new Parcel(
      new Places(range(0, 1)),
      0,
      false,
      new Contents(memory, 0).copy(toEventBytes(['1'])),
    );
    expect(unknown.at).toBeUndefined();
  });

  it('makes a new body after it lost events', () => {
    const parcel = parcelOf(['1', '2', '3', '4', '5']);
    expect(bodyOf(parcel)).toBe('{"batch":[1,2,3,4,5]}');
    expect(bodyOf(parcel.cut({ from: 4, to: 5 }))).toBe('{"batch":[5]}');
    parcel.remove({ from: 4, to: 5 });
    expect(bodyOf(parcel)).toBe('{"batch":[1,2,3,4]}');
    parcel.remove({ from: 1, to: 3 });
    expect([bodyOf(parcel), parcel.count]).toEqual(['{"batch":[1,4]}', 2]);
    parcel.remove({ from: 0, to: 2 });
    expect(parcel.count).toBe(0);
  });

  it('takes what was read of it into memory, and keeps the rest', () => {
    const parcel = new Parcel(new Places(range(10, 20)), 3, true, undefined, 50);
    const read = (...texts: readonly string[]) =>
      new Contents(memory, 0).copy({ ...toEventBytes(texts), times: Float64Array.from(texts, () => 60) });
    const first = parcel.load(read('1', '2', '3', '4'));
    expect([first.places.ranges, parcel.places.ranges]).toEqual([[range(10, 14)], [range(14, 20)]]);
    expect(parcel).toMatchObject({ at: 50, isHigh: true, isInMemory: false, epoch: 3, count: 6 });
    expect(first).toMatchObject({ at: 60, isHigh: true, isInMemory: true, isWritten: true, epoch: 3 });
    expect(bodyOf(first)).toBe('{"batch":[1,2,3,4]}');
    expect(parcel.load(read('5', '6', '7', '8', '9', '10'))).toBe(parcel);
  });

  it('gives a part that is cut off while it is written to the journal again', () => {
    const parcel = parcelOf(['1', '2']);
    parcel.hand(ALL);
    const part = parcel.cut({ from: 1, to: 2 });
    expect([part.isHanded, part.isWritten]).toEqual([false, false]);
    expect(toTexts(part.hand(ALL) ?? expect.fail())).toEqual(['2']);
  });

  it('leaves its events to the journal', () => {
    const parcel = parcelOf(['1', '2', '3']);
    parcel.hand(ALL);
    parcel.places.appended(range(5, 8));
    const before = parcel.contents.memory;
    parcel.store();
    expect(memory.take(before.length)).toBe(before);
    expect(parcel).toMatchObject({ isInMemory: false, count: 3 });
    expect(() => parcel.events).toThrow('not in memory');
  });
});
