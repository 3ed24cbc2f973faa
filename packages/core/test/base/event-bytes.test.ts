import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '../../../../testing/full.ts';
import { encodeEvents, joinEvents, NO_EVENTS, sliceEvents, splitEvents } from '../../src/base/event-bytes.ts';
import { toEventBytes, toTexts } from '../bench/event-texts.ts';

const ALL = { maxEvents: 1_000, maxBytes: 1_000_000 };
const TEXTS = ['{"a":1}', '"é"', '""', '[1,2,3]', '😀'];
const EVENTS = toEventBytes(TEXTS);

describe('sliceEvents', () => {
  it('gives all events where the limit is wide', () => {
    expect(sliceEvents(EVENTS, 0, ALL)).toEqual(EVENTS);
  });

  it('starts at the event asked for, and counts its ends from there', () => {
    const slice = sliceEvents(EVENTS, 2, ALL);
    expect(toTexts(slice)).toEqual(TEXTS.slice(2));
    expect([...slice.ends]).toEqual([2, 10, 15]);
  });

  it('ends at the limit of events', () => {
    expect(toTexts(sliceEvents(EVENTS, 1, { ...ALL, maxEvents: 2 }))).toEqual(TEXTS.slice(1, 3));
  });

  it('ends at the limit of bytes, the commas between events counted', () => {
    expect(toTexts(sliceEvents(EVENTS, 0, { ...ALL, maxBytes: 12 }))).toEqual(TEXTS.slice(0, 2));
    expect(toTexts(sliceEvents(EVENTS, 0, { ...ALL, maxBytes: 11 }))).toEqual(TEXTS.slice(0, 1));
  });

  it('gives one event even where that alone is above the limit', () => {
    expect(toTexts(sliceEvents(EVENTS, 3, { ...ALL, maxBytes: 1 }))).toEqual([TEXTS[3]]);
  });

  it('gives none where there is none', () => {
    expect(toTexts(sliceEvents(EVENTS, TEXTS.length, ALL))).toEqual([]);
    expect(toTexts(sliceEvents(NO_EVENTS, 0, ALL))).toEqual([]);
  });

  it('copies no bytes, and leaves the ends that it was given alone', () => {
    const ends = [...EVENTS.ends];
    const slice = sliceEvents(EVENTS, 1, ALL);
    expect(slice.bytes.buffer).toBe(EVENTS.bytes.buffer);
    slice.ends.fill(0);
    expect([...EVENTS.ends]).toEqual(ends);
  });

  it('takes as many as the limit allows and not one less, from any event on', () => {
    const texts = fc.array(fc.string({ unit: 'grapheme', maxLength: 8 }), { minLength: 1, maxLength: 12 });
    const limit = fc.record({ maxEvents: fc.integer({ min: 1, max: 6 }), maxBytes: fc.nat({ max: 40 }) });
    const property = fc.property(texts, fc.nat(), limit, (texts, start, limit) => {
      const first = start % texts.length;
      let last = first + 1;
      while (last < texts.length && last - first < limit.maxEvents) {
        if (toEventBytes(texts.slice(first, last + 1)).bytes.length > limit.maxBytes) break;
        last += 1;
      }
      expect(toTexts(sliceEvents(toEventBytes(texts), first, limit))).toEqual(texts.slice(first, last));
    });
    fc.assert(property, { numRuns: cases(500) });
  });
});

describe('joinEvents and splitEvents', () => {
  it('make events of texts, and texts of events', () => {
    const texts = splitEvents(EVENTS);
    expect(texts.map((text) => new TextDecoder().decode(text))).toEqual(TEXTS);
    expect(joinEvents(texts, 7)).toEqual({ ...EVENTS, times: Float64Array.of(7, 7, 7, 7, 7) });
    expect(splitEvents(NO_EVENTS)).toEqual([]);
  });
});

describe('encodeEvents', () => {
  it('makes events of texts, whatever they are made of', () => {
    for (const texts of [['{}'], ['{"a":1}', '{}'], ['{"é":"😀"}', '{}', '{"ß":"漢字"}']]) {
      const events = encodeEvents(
        texts,
        texts.map((_, time) => time),
      );
      expect(splitEvents(events).map((text) => new TextDecoder().decode(text))).toEqual(texts);
      expect(new TextDecoder().decode(events.bytes)).toBe(texts.join(','));
      expect(events.times).toEqual(Float64Array.from(texts.keys()));
    }
  });
});
