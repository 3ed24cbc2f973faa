import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EventBytes, Limit } from '../../src/base/event-bytes.ts';
import { RingBuffer, type TextWriter } from '../../src/wait/ring-buffer.ts';
import { toTexts } from '../bench/event-texts.ts';
import { textWriter } from '../bench/text-writer.ts';

const ALL: Limit = { maxEvents: 1_000_000, maxBytes: 1 << 30 };
const MIB = 1024 * 1024;

function createRing(limit: Partial<Limit> = {}): RingBuffer {
  return new RingBuffer({ ...ALL, maxBytes: 64 * MIB, ...limit }, textWriter);
}

/** All events, run by run. */
function runsOf(ring: RingBuffer): string[][] {
  const runs: string[][] = [];
  for (let skip = 0; skip < ring.length; ) {
    const run = toTexts(ring.peek(skip, ALL));
    runs.push(run);
    skip += run.length;
  }
  return runs;
}

describe('RingBuffer', () => {
  it('is empty at first', () => {
    const ring = createRing();
    expect([ring.length, ring.bytes, ring.oldestAt]).toEqual([0, 0, undefined]);
  });

  it('gives events back in order, as UTF-8 with a comma between two', () => {
    const ring = createRing();
    for (const text of ['a', 'é', '€', '😀', '\0']) expect(ring.push(text, 0)).toBe(true);
    const { bytes, ends } = ring.peek(0, ALL);
    expect(new TextDecoder().decode(bytes)).toBe('a,é,€,😀,\0');
    expect([...ends]).toEqual([1, 4, 8, 13, 15]);
    expect(ring.bytes).toBe(1 + 2 + 3 + 4 + 1);
  });

  it('knows when its oldest event came', () => {
    const ring = createRing();
    ring.push('a', 5);
    ring.push('b', 7);
    expect(ring.oldestAt).toBe(5);
    ring.shift(1);
    expect(ring.oldestAt).toBe(7);
    ring.shift(1);
    expect(ring.oldestAt).toBeUndefined();
  });

  it('takes as many events as it may, and the next one once one has left', () => {
    const ring = createRing({ maxEvents: 2 });
    expect(['a', 'b', 'c'].map((text) => ring.push(text, 0))).toEqual([true, true, false]);
    ring.shift(1);
    expect(ring.push('c', 0)).toBe(true);
    expect(runsOf(ring).flat()).toEqual(['b', 'c']);
  });

  it('takes as many bytes as it may, the comma after each event counted', () => {
    const ring = createRing({ maxBytes: 10 });
    expect(ring.push('1234', 0)).toBe(true);
    expect(ring.push('56789', 0)).toBe(false);
    expect(ring.push('5678', 0)).toBe(true);
    expect(ring.push('', 0)).toBe(false);
    expect(runsOf(ring)).toEqual([['1234', '5678']]);
  });

  it('takes an event that fills it, and none that is larger', () => {
    const ring = createRing({ maxBytes: 10 });
    expect(ring.push('1234567890', 0)).toBe(false);
    expect(ring.push('123456789', 0)).toBe(true);
    expect(ring.length).toBe(1);
  });

  it('measures an event by its bytes, not by three for each character', () => {
    const ring = createRing({ maxBytes: 10 });
    expect(ring.push('€€€', 0)).toBe(true);
    ring.shift(1);
    expect(ring.push('€€€€', 0)).toBe(false);
    expect(ring.push('ééééé', 0)).toBe(false);
    expect(ring.push('ééé123', 0)).toBe(true);
  });

  it('has room again for as many bytes as have left', () => {
    const ring = createRing({ maxBytes: 12 });
    for (const text of ['111', '222', '333']) ring.push(text, 0);
    expect(ring.push('4', 0)).toBe(false);
    ring.shift(1);
    expect(ring.push('4444', 0)).toBe(false);
    expect(ring.push('444', 0)).toBe(true);
    expect(runsOf(ring).flat()).toEqual(['222', '333', '444']);
  });

  it('grows to its bound by whole blocks, and moves nothing', () => {
    const ring = createRing({ maxBytes: 2 * MIB });
    const text = (digit: string, kib: number): string => digit.repeat(kib * 1024 - 1);
    for (const digit of ['1', '2', '3']) ring.push(text(digit, 80), 0);
    const { bytes } = ring.peek(2, ALL);
    ring.shift(2);
    for (const digit of ['4', '5']) expect(ring.push(text(digit, 100), 0)).toBe(true);
    expect(ring.push(text('6', 800), 0)).toBe(true);
    expect(runsOf(ring)).toEqual([[text('3', 80), text('4', 100), text('5', 100)], [text('6', 800)]]);
    expect(ring.push(text('7', 1_000), 0)).toBe(false);
    expect(new TextDecoder().decode(bytes)).toBe(text('3', 80));
  });

  it('holds more events than one block has an index for', () => {
    const ring = createRing();
    for (let number = 0; number < 1_000; number += 1) ring.push(`${number}`, number);
    ring.shift(900);
    for (let number = 1_000; number < 10_000; number += 1) ring.push(`${number}`, number);
    expect(runsOf(ring).flat()).toEqual(Array.from({ length: 9_100 }, (_, index) => `${900 + index}`));
    expect(ring.oldestAt).toBe(900);
  });

  it('peeks from any event on, within a limit', () => {
    const ring = createRing();
    for (const text of ['1', '22', '333', '4444']) ring.push(text, 0);
    const texts = (skip: number, limit: Partial<Limit>): string[] =>
      toTexts(ring.peek(skip, { ...ALL, ...limit }));
    expect(texts(1, { maxEvents: 2 })).toEqual(['22', '333']);
    expect(texts(0, { maxBytes: 4 })).toEqual(['1', '22']);
    expect(texts(0, { maxBytes: 3 })).toEqual(['1']);
    expect(texts(3, { maxBytes: 1 })).toEqual(['4444']);
    expect(ring.length).toBe(4);
  });

  /** A writer that counts the bytes that it was asked for. */
  function countingWriter(): { writer: TextWriter; asked: () => number } {
    let asked = 0;
    const allocate = (bytes: number): Uint8Array => {
      asked += bytes;
      return new Uint8Array(bytes);
    };
    return { writer: { ...textWriter, allocate }, asked: () => asked };
  }

  it('asks for no memory before its first event', () => {
    const { writer, asked } = countingWriter();
    expect(new RingBuffer(ALL, writer).length).toBe(0);
    expect(asked()).toBe(0);
  });

  it('takes memory in blocks as large as the writer says, and one of its own for what is larger', () => {
    const { writer, asked } = countingWriter();
    const ring = new RingBuffer(ALL, { ...writer, blockBytes: 1024 });
    for (let count = 0; count < 4; count += 1) ring.push('x'.repeat(255), 0);
    expect(asked()).toBe(1024);
    ring.push('x'.repeat(1024), 0);
    expect(asked()).toBe(1024 + 1025);
  });

  it('keeps a little of the memory of a burst, and gives the rest back', () => {
    const { writer, asked } = countingWriter();
    const ring = new RingBuffer({ ...ALL, maxBytes: 64 * MIB }, writer);
    const burst = (): number => {
      const before = asked();
      for (let count = 0; count < 20 * 1024; count += 1) ring.push('x'.repeat(1023), 0);
      ring.shift(ring.length);
      return asked() - before;
    };
    expect(burst()).toBe(20 * MIB);
    expect(burst()).toBe(18 * MIB);
  });

  it('keeps no memory that was made for one large event', () => {
    const { writer, asked } = countingWriter();
    const ring = new RingBuffer({ ...ALL, maxBytes: 64 * MIB }, writer);
    for (let count = 0; count < 2; count += 1) {
      ring.push('x'.repeat(MIB - 1), 0);
      ring.shift(1);
    }
    expect(asked()).toBe(2 * MIB);
  });

  it('writes many texts at once, up to the end of a block that has room to spare', () => {
    let writes = 0;
    const write: TextWriter['write'] = (...args) => {
      writes += 1;
      return textWriter.write(...args);
    };
    const bounds = { blockBytes: 48 * 1024, spareBytes: 32 * 1024 };
    const ring = new RingBuffer({ ...ALL, maxBytes: 64 * MIB }, { ...textWriter, ...bounds, write });
    for (let count = 0; count < 128; count += 1) ring.push('x'.repeat(383), 0);
    expect(runsOf(ring).map(({ length }) => length)).toEqual([128]);
    expect(writes).toBe(4);
    ring.push('x', 0);
    expect(runsOf(ring).map(({ length }) => length)).toEqual([128, 1]);
  });

  it('asks for no more memory while as much comes as leaves', () => {
    const { writer, asked } = countingWriter();
    const ring = new RingBuffer({ ...ALL, maxBytes: 64 * MIB }, writer);
    for (let count = 0; count < 100; count += 1) ring.push('x'.repeat(1_000), 0);
    for (let count = 0; count < 10_000; count += 1) {
      ring.shift(1);
      ring.push('x'.repeat(1_000), 0);
    }
    expect(asked()).toBe(MIB);
  });
});

/** One step of the model test. Numbers are taken modulo what is possible at that moment. */
type Step =
  | { readonly kind: 'push'; readonly text: string; readonly repeat: number }
  | { readonly kind: 'shift'; readonly count: number }
  | { readonly kind: 'peek'; readonly skip: number; readonly limit: Limit };

interface Held {
  readonly run: EventBytes;
  readonly texts: readonly string[];
  readonly first: number;
}

/** Does the same with a ring buffer and with a plain array. Runs that were peeked must stay valid until their events leave. */
function compare(limit: Limit, steps: readonly Step[]): void {
  const ring = new RingBuffer(limit, textWriter);
  const model: { text: string; time: number }[] = [];
  const bytesOf = (text: string): number => new TextEncoder().encode(text).length;
  let held: Held[] = [];
  let left = 0;
  let time = 0;
  for (const step of steps) {
    time += 1;
    if (step.kind === 'push') {
      const text = step.text.repeat(step.repeat);
      const taken = ring.push(text, time);
      const bytes = model.reduce((sum, event) => sum + bytesOf(event.text) + 1, bytesOf(text) + 1);
      const fits = model.length < limit.maxEvents && bytes <= limit.maxBytes;
      expect(taken).toBe(fits);
      if (taken) model.push({ text, time });
    } else if (step.kind === 'shift') {
      const count = step.count % (model.length + 1);
      ring.shift(count);
      model.splice(0, count);
      left += count;
      held = held.filter(({ first }) => first >= left);
    } else if (model.length > 0) {
      const skip = step.skip % model.length;
      const run = ring.peek(skip, step.limit);
      const texts = toTexts(run);
      expect(texts.length).toBeGreaterThan(0);
      expect(texts.length).toBeLessThanOrEqual(step.limit.maxEvents);
      if (texts.length > 1) expect(run.bytes.length).toBeLessThanOrEqual(step.limit.maxBytes);
      expect(texts).toEqual(model.slice(skip, skip + texts.length).map((event) => event.text));
      held.push({ run, texts, first: left + skip });
    }
    expect(ring.length).toBe(model.length);
    expect(ring.bytes).toBe(model.reduce((sum, { text }) => sum + bytesOf(text), 0));
    expect(ring.oldestAt).toBe(model[0]?.time);
    expect(runsOf(ring).flat()).toEqual(model.map(({ text }) => text));
    for (const { run, texts } of held) expect(toTexts(run)).toEqual(texts);
  }
}

function steps(text: fc.Arbitrary<string>, repeat: fc.Arbitrary<number>): fc.Arbitrary<Step[]> {
  const limit = fc.record({ maxEvents: fc.integer({ min: 1, max: 8 }), maxBytes: fc.nat({ max: 60 }) });
  const push = fc.record({ kind: fc.constant('push' as const), text, repeat });
  const shift = fc.record({ kind: fc.constant('shift' as const), count: fc.nat({ max: 6 }) });
  const peek = fc.record({ kind: fc.constant('peek' as const), skip: fc.nat({ max: 20 }), limit });
  const step = fc.oneof({ weight: 4, arbitrary: push }, { weight: 2, arbitrary: shift }, peek);
  return fc.array(step, { maxLength: 80, size: 'max' });
}

describe('RingBuffer, next to a plain array', () => {
  const characters = fc.oneof(
    fc.constantFrom('a', 'é', '€', '😀', ',', '"', '\0', '\u{10ffff}'),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  );

  it('does the same in small bounds', () => {
    const text = fc.array(characters, { maxLength: 12 }).map((list) => list.join(''));
    const limit = fc.record({
      maxEvents: fc.integer({ min: 1, max: 10 }),
      maxBytes: fc.integer({ min: 1, max: 80 }),
    });
    const property = fc.property(limit, steps(text, fc.constant(1)), compare);
    fc.assert(property, { numRuns: 100 });
  });

  it.each([0, 600])(
    'does the same with texts that are written together (room to spare: %s)',
    (spareBytes) => {
      const text = fc.array(characters, { maxLength: 300, size: 'max' }).map((list) => list.join(''));
      const property = fc.property(
        fc.array(text, { maxLength: 60, size: 'max' }),
        fc.nat(),
        (texts, count) => {
          const ring = new RingBuffer(ALL, { ...textWriter, blockBytes: 2048, spareBytes });
          for (const [time, text] of texts.entries()) expect(ring.push(text, time)).toBe(true);
          const first = count % (texts.length + 1);
          ring.shift(first);
          const left = texts.slice(first);
          expect(runsOf(ring).flat()).toEqual(left);
          expect(left.map((_, index) => ring.timeOf(index))).toEqual(left.map((_, index) => first + index));
          expect(ring.bytes).toBe(left.reduce((sum, text) => sum + textWriter.byteLength(text), 0));
        },
      );
      fc.assert(property, { numRuns: 50 });
    },
  );

  it('does the same over many blocks', () => {
    const limit = fc.record({
      maxEvents: fc.integer({ min: 5, max: 40 }),
      maxBytes: fc.integer({ min: 200_000, max: 1_500_000 }),
    });
    const property = fc.property(limit, steps(characters, fc.integer({ min: 1, max: 50_000 })), compare);
    fc.assert(property, { numRuns: 10 });
  });
});
