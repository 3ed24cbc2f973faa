import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { MOST_EVENT_BYTES } from '../../../../src/base/event-bytes.ts';
import {
  FRAME_HEADER_BYTES,
  FrameReader,
  findIds,
  framedLength,
  framesOf as framesOfEvents,
} from '../../../../src/keep/file/format/frame.ts';
import { anyText } from '../../../bench/any-text.ts';
import { toEventBytes } from '../../../bench/event-texts.ts';
import { framesOf, SEGMENT } from '../frames.ts';

const TEXTS = ['1', '"two"', '{"three":"ä€😀"}'];

/** All frames that are found: index, text and age of each. */
function readFrames(
  bytes: Buffer,
  isEnd = true,
): { found: [number, string, number?][]; reader: FrameReader } {
  const reader = new FrameReader(bytes, SEGMENT.id, isEnd ? 0 : Number.POSITIVE_INFINITY);
  const found: [number, string, number?][] = [];
  while (reader.next()) {
    const text = bytes.subarray(reader.start, reader.end).toString();
    found.push(reader.age === undefined ? [reader.index, text] : [reader.index, text, reader.age]);
  }
  return { found, reader };
}

describe('a frame', () => {
  it('has the bytes that are written down for it', () => {
    const frame = framesOf(['{"a":1}'], 5);
    expect(frame.toString('hex')).toBe(
      [
        'fffe',
        'ce967fb0',
        '09000000',
        '07000000',
        '05000000',
        '00000000',
        Buffer.from('{"a":1}').toString('hex'),
      ].join(''),
    );
  });

  it('holds an event, its index and its age, and the next one starts behind it', () => {
    const { found, reader } = readFrames(framesOf(TEXTS, 7));
    expect(found).toEqual([
      [7, TEXTS[0], 0],
      [8, TEXTS[1], 1],
      [9, TEXTS[2], 2],
    ]);
    expect([reader.damaged, reader.offset]).toEqual([0, framesOf(TEXTS).length]);
  });

  it('makes the same bytes of the same events, in whatever memory', () => {
    const events = toEventBytes(TEXTS);
    const used = Buffer.alloc(framedLength(events), 0xaa);
    framesOfEvents(events, 0, SEGMENT, used);
    const fresh = framesOfEvents(events, 0, SEGMENT);
    expect(used.equals(fresh)).toBe(true);
  });

  it.each<[string, number | undefined, number | undefined]>([
    ['is not known', undefined, undefined],
    ['is before the base time, as after a clock that was set back', -5, 0],
    ['is a part of a millisecond', 1.6, 2],
    ['is more than the field holds', 2 ** 40, 2 ** 32 - 2],
  ])('says when its event was accepted, where that %s', (_, time, age) => {
    const events = { ...toEventBytes(['1']), ...(time !== undefined && { times: Float64Array.of(time) }) };
    const bytes = framesOfEvents(events, 0, SEGMENT);
    expect(readFrames(bytes).found).toEqual([age === undefined ? [0, '1'] : [0, '1', age]]);
  });

  it('that is empty is one too', () => {
    expect(readFrames(framesOf([''])).found).toEqual([[0, '', 0]]);
  });
});

describe('FrameReader', () => {
  it('passes over what is no frame, and counts it', () => {
    const bytes = Buffer.concat([
      Buffer.from('garbage'),
      framesOf(['1']),
      Buffer.from('more'),
      framesOf(['2'], 1),
    ]);
    const { found, reader } = readFrames(bytes);
    expect(found).toEqual([
      [0, '1', 0],
      [1, '2', 0],
    ]);
    expect(reader.damaged).toBe(11);
  });

  it('finds none where there is none', () => {
    for (const bytes of [
      Buffer.alloc(0),
      Buffer.alloc(100),
      Buffer.from('text only'),
      Buffer.alloc(50, 0xff),
    ]) {
      const { found, reader } = readFrames(bytes);
      expect(found).toEqual([]);
      expect(reader.damaged).toBe(bytes.length);
    }
  });

  it('takes a frame cut short for damage at the end of the file, and waits for the rest before it', () => {
    const whole = framesOf(['1', '22']);
    for (let length = FRAME_HEADER_BYTES + 1; length < whole.length; length += 1) {
      const cut = whole.subarray(0, length);
      const atEnd = readFrames(cut);
      expect(atEnd.found).toHaveLength(1);
      expect(atEnd.reader.damaged).toBe(length - FRAME_HEADER_BYTES - 1);
      const inside = readFrames(cut, false);
      expect([inside.reader.damaged, inside.reader.offset]).toEqual([0, FRAME_HEADER_BYTES + 1]);
    }
  });

  it('passes over frames of another segment, as a block of its file holds them', () => {
    const strange = framesOf(['"strange"'], 1, { ...SEGMENT, id: 8 });
    const bytes = Buffer.concat([framesOf(['"mine"']), strange, framesOf(['"mine too"'], 2)]);
    const { found, reader } = readFrames(bytes);
    expect(found.map(([, text]) => text)).toEqual(['"mine"', '"mine too"']);
    expect(reader.damaged).toBe(strange.length);
    const ids: number[] = [];
    findIds(bytes, (id) => ids.push(id));
    expect(ids).toEqual([9, 8, 9]);
  });

  it('finds the frame behind one whose length is not true', () => {
    for (const length of [0, 1, 3, 1_000_000, 0xffffffff]) {
      const bytes = framesOf(['1', '22', '333']);
      bytes.writeUInt32LE(length, FRAME_HEADER_BYTES + 1 + 10);
      expect(readFrames(bytes).found.map(([index]) => index)).toEqual([0, 2]);
    }
  });

  it('waits for the rest of no frame that claims to be larger than any event', () => {
    const claims = framesOf(['1']);
    for (const [length, found] of [
      [MOST_EVENT_BYTES, 0],
      [2 * MOST_EVENT_BYTES, 1],
    ] as const) {
      claims.writeUInt32LE(length, 10);
      const bytes = Buffer.concat([claims, Buffer.alloc(1_000), framesOf(['2'], 1)]);
      expect(readFrames(bytes.subarray(0, found === 0 ? 900 : bytes.length), false).found).toHaveLength(
        found,
      );
    }
  });

  it('reads noise once that is full of starts of long frames, or of ids, and finds the frame behind it', () => {
    const start = framesOf(['1']);
    start.writeUInt32LE(4_000, 10);
    const ids = new Uint32Array(2_500).fill(SEGMENT.id);
    for (const noise of [Buffer.concat(Array(400).fill(start)), Buffer.from(ids.buffer)]) {
      const words = vi.spyOn(DataView.prototype, 'getInt32');
      const searches = vi.spyOn(Buffer.prototype, 'indexOf');
      try {
        const { found } = readFrames(Buffer.concat([noise, framesOf(['2'], 1)]));
        expect(found).toEqual([[1, '2', 0]]);
        // Of the noise, each word was in one checksum, and there are few searches.
        expect(words.mock.calls.length).toBeLessThan(noise.length / 4);
        expect(searches.mock.calls.length).toBeLessThan(noise.length / 8);
      } finally {
        vi.restoreAllMocks();
      }
    }
  });

  it('takes no frame for intact of which any bit is wrong, and loses no other', () => {
    const texts = ['{"a":1}', '{"b":22}', '{"c":333}'];
    const intact = framesOf(texts);
    const middle = FRAME_HEADER_BYTES + 7;
    for (let bit = 0; bit < (FRAME_HEADER_BYTES + 8) * 8; bit += 1) {
      const bytes = Buffer.from(intact);
      const at = middle + (bit >> 3);
      bytes[at] = (bytes[at] ?? 0) ^ (1 << (bit & 7));
      expect(readFrames(bytes).found.map(([, text]) => text)).toEqual([texts[0], texts[2]]);
    }
  });

  it('finds every frame that is intact, whatever lies between them', () => {
    const junk = fc.uint8Array({ maxLength: 40 });
    const part = fc.record({ before: junk, text: anyText({ maxLength: 30 }) });
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), junk, (parts, after) => {
        const bytes = Buffer.concat([
          ...parts.flatMap(({ before, text }, index) => [before, framesOf([text], index)]),
          after,
        ]);
        const { found, reader } = readFrames(bytes);
        expect(found.map(([, text]) => text)).toEqual(parts.map(({ text }) => text));
        const junkBytes = parts.reduce((sum, { before }) => sum + before.length, after.length);
        expect(reader.damaged).toBe(junkBytes);
      }),
      { numRuns: 100 },
    );
  });
});
