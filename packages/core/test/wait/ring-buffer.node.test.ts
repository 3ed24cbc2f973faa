import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '../../../../testing/full.ts';
import type { Limit } from '../../src/base/event-bytes.ts';
import { Epochs } from '../../src/tell/epochs.ts';
import type { TextWriter } from '../../src/wait/contents.ts';
import type { Parcel } from '../../src/wait/parcel.ts';
import { RingBuffer } from '../../src/wait/ring-buffer.ts';
import { anyText } from '../bench/any-text.ts';
import { toTexts } from '../bench/event-texts.ts';
import { expectSame } from '../bench/expect-same.ts';
import { textWriter } from '../bench/text-writer.ts';

type RingBufferOptions = ConstructorParameters<typeof RingBuffer>[0];

const ALL: Limit = { maxEvents: 1_000_000, maxBytes: 64 * 1024 * 1024 };

interface Bounds {
  readonly limit?: Partial<Limit>;
  readonly parcel?: Partial<Limit>;
}

function createRing(
  { limit, parcel }: Bounds = {},
  options: Partial<RingBufferOptions> = {},
  sealed: Parcel[] = [],
): RingBuffer {
  const all: RingBufferOptions = {
    limit: { ...ALL, ...limit },
    parcel: { ...ALL, ...parcel },
    isHigh: false,
    isOrdered: false,
    text: textWriter,
    memory: textWriter.createMemory(),
    epochs: new Epochs(),
    ...options,
  };
  return new RingBuffer(all, (parcel) => sealed.push(parcel));
}

function textsOf({ events }: Parcel): string[] {
  return toTexts(events);
}

/** All events, parcel by parcel. */
function allTexts(ring: RingBuffer): string[][] {
  return [...ring.parcels].map(textsOf);
}

/** Removes the first parcel. */
function shift(ring: RingBuffer): Parcel | undefined {
  const { first } = ring;
  if (first) ring.remove(first);
  return first;
}

function pushAll(ring: RingBuffer, ...texts: readonly string[]): boolean[] {
  return texts.map((text) => ring.push(text, 0));
}

describe('RingBuffer', () => {
  it('is empty at first', () => {
    const ring = createRing();
    expect([ring.count, ring.bytes, ring.first, ring.filling]).toEqual([0, 0, undefined, undefined]);
    expect([...ring.parcels]).toEqual([]);
  });

  it('takes kilobytes for each parcel beside its events, until it is removed', () => {
    const ring = createRing();
    for (let count = 0; count < 1_000; count += 1) {
      pushAll(ring, 'a');
      ring.seal();
    }
    expect(ring.bytes).toBe(1_000);
    expect(ring.roughBytes).toBeGreaterThan(1_000 * 1_024);
    for (let count = 0; count < 1_000; count += 1) shift(ring);
    expect(ring.roughBytes).toBe(0);
  });

  it('gives events back in order, as UTF-8 with a comma between two', () => {
    const ring = createRing();
    pushAll(ring, 'a', 'é', '€', '😀', '\0');
    const { bytes, ends } = ring.first?.events ?? {};
    expect(new TextDecoder().decode(bytes)).toBe('a,é,€,😀,\0');
    expect([...(ends ?? [])]).toEqual([1, 4, 8, 13, 15]);
    expect(ring.bytes).toBe(15);
  });

  it('knows when its oldest event came', () => {
    const ring = createRing({ parcel: { maxEvents: 2 } });
    for (const time of [5, 6, 7]) ring.push('a', time);
    expect(ring.first?.at).toBe(5);
    shift(ring);
    expect(ring.first?.at).toBe(7);
    shift(ring);
    expect(ring.first?.at).toBeUndefined();
  });

  it('takes as many events as it may, and more once some have left', () => {
    const ring = createRing({ limit: { maxEvents: 3 }, parcel: { maxEvents: 2 } });
    expect(pushAll(ring, 'a', 'b', 'c', 'd')).toEqual([true, true, true, false]);
    shift(ring);
    expect(pushAll(ring, 'd', 'e', 'f')).toEqual([true, true, false]);
    expect(allTexts(ring)).toEqual([['c', 'd'], ['e']]);
  });

  it('takes as many bytes as it may, the commas between events counted', () => {
    const ring = createRing({ limit: { maxBytes: 10 } });
    expect(pushAll(ring, '1234', '567890', '56789', '')).toEqual([true, false, true, false]);
    expect(allTexts(ring)).toEqual([['1234', '56789']]);
  });

  it('takes an event that fills it, and none that is larger', () => {
    const ring = createRing({ limit: { maxBytes: 10 } });
    expect(pushAll(ring, '1234567890', '123456789')).toEqual([false, true]);
    expect(ring.count).toBe(1);
  });

  it('measures an event by its bytes, not by three for each character', () => {
    const ring = createRing({ limit: { maxBytes: 10 } });
    expect(ring.push('€€€', 0)).toBe(true);
    shift(ring);
    expect(pushAll(ring, '€€€€', 'ééééé', 'ééé123')).toEqual([false, false, true]);
  });

  it('has at most as many events in a parcel as in a batch', () => {
    const ring = createRing({ parcel: { maxEvents: 3 } });
    pushAll(ring, '1', '2', '3', '4', '5', '6', '7');
    expect(allTexts(ring)).toEqual([['1', '2', '3'], ['4', '5', '6'], ['7']]);
  });

  it('has at most as many bytes in a parcel as in a batch', () => {
    const ring = createRing({ parcel: { maxBytes: 7 } });
    pushAll(ring, '111', '222', '333', '4444');
    expect(allTexts(ring)).toEqual([['111', '222'], ['333'], ['4444']]);
  });

  it('gives an event that is larger than a batch a parcel of its own', () => {
    const ring = createRing({ parcel: { maxBytes: 7 } });
    pushAll(ring, '1', 'x'.repeat(5_000), '2');
    expect(allTexts(ring)).toEqual([['1'], ['x'.repeat(5_000)], ['2']]);
  });

  it('says which parcel takes no more events, each once', () => {
    const sealed: Parcel[] = [];
    const ring = createRing({ parcel: { maxEvents: 2 } }, {}, sealed);
    pushAll(ring, '1', '2', '3');
    expect([...ring.parcels].map((parcel) => parcel === ring.filling)).toEqual([false, true]);
    expect(sealed.map(textsOf)).toEqual([['1', '2']]);
    ring.seal();
    ring.seal();
    expect(sealed.map(textsOf)).toEqual([['1', '2'], ['3']]);
    pushAll(ring, '4');
    for (let count = 0; count < 3; count += 1) shift(ring);
    expect(sealed.map(textsOf)).toEqual([['1', '2'], ['3'], ['4']]);
  });

  it('holds no more memory than a small parcel needs once it takes no more events', () => {
    const ring = createRing({ parcel: { maxEvents: 100 } });
    for (let count = 0; count < 100; count += 1) ring.push('x'.repeat(99), 0);
    ring.push('1', 0);
    expect(ring.filling?.contents.memory.length).toBeGreaterThan(9_000);
    ring.seal();
    expect([...ring.parcels].at(-1)?.contents.memory.length).toBeLessThan(100);
    expect(allTexts(ring).at(-1)).toEqual(['1']);
  });

  it('counts nothing of a parcel whose events have ended', () => {
    const ring = createRing({ parcel: { maxEvents: 2 } });
    pushAll(ring, '1', '2', '3', '4', '5');
    for (const parcel of [...ring.parcels].slice(1)) parcel.remove({ from: 0, to: 1 });
    ring.recount();
    expect([allTexts(ring), ring.count, ring.bytes]).toEqual([[['1', '2'], ['4']], 3, 4]);
    pushAll(ring, '6');
    expect(allTexts(ring)).toEqual([['1', '2'], ['4'], ['6']]);
  });

  it('puts a parcel that came back before those behind it', () => {
    const ring = createRing();
    ring.push('1', 5);
    const first = shift(ring);
    ring.push('2', 6);
    if (first) ring.putBack(first);
    ring.push('3', 7);
    expect([allTexts(ring), ring.count, ring.bytes]).toEqual([[['1'], ['2', '3']], 3, 4]);
    expect(ring.first).toBe(first);
  });

  it('has new events as unwritten ones of the current epoch', () => {
    const epochs = new Epochs();
    epochs.end();
    const ring = createRing({}, { epochs, isHigh: true });
    pushAll(ring, '1', '2');
    expect(ring.first).toMatchObject({ epoch: 1, isHigh: true, isWritten: false, isHanded: false });
  });

  it('writes several texts together', () => {
    let writes = 0;
    const write: TextWriter['write'] = (...args) => {
      writes += 1;
      return textWriter.write(...args);
    };
    const ring = createRing({}, { text: { ...textWriter, write } });
    const texts = Array.from({ length: 320 }, (_, index) => `${index}`);
    pushAll(ring, ...texts);
    expect(writes).toBeLessThan(20);
    expect(ring.count).toBe(320);
    expect(allTexts(ring)).toEqual([texts]);
  });

  it('grows the memory of a parcel', () => {
    const ring = createRing();
    const texts = Array.from({ length: 1_000 }, (_, index) => `${index}`.repeat(20));
    pushAll(ring, ...texts.slice(0, 20));
    const { first } = ring;
    const { contents } = first ?? {};
    const { memory } = contents ?? {};
    pushAll(ring, ...texts.slice(20));
    expect([...ring.parcels]).toEqual([first]);
    expect(contents?.memory).not.toBe(memory);
    expect(allTexts(ring)).toEqual([texts]);
  });

  it('asks for no memory before its first event, and for little later', () => {
    let asked = 0;
    const take = (bytes: number): Uint8Array => {
      asked += bytes;
      return new Uint8Array(bytes);
    };
    const memory = { take, give: () => undefined };
    const ring = createRing({ parcel: { maxBytes: 64 * 1024 } }, { memory });
    expect([ring.count, asked]).toEqual([0, 0]);
    for (let count = 0; count < 10_000; count += 1) ring.push('x'.repeat(99), 0);
    expect(asked).toBeLessThan(3 * 10_000 * 100);
  });
});

type Step =
  | { readonly kind: 'push'; readonly text: string; readonly repeat: number }
  | { readonly kind: 'shift' | 'unshift' | 'look' };

/** Does the same with a ring buffer and with a plain array. Between two looks, nothing asks for the newest events. */
function compare(limit: Limit, parcel: Limit, isWatched: boolean, steps: readonly Step[]): void {
  const ring = createRing({ limit, parcel });
  let model: { text: string; time: number }[] = [];
  let taken: { parcel: Parcel; events: typeof model } | undefined;
  const look = (): void => {
    const parcels = [...ring.parcels];
    // One comparison for all: thousands of steps are checked.
    expect({
      texts: parcels.flatMap(textsOf),
      times: parcels.flatMap(({ events }) => [...(events.times ?? [])]),
      sizesAreRight: parcels.every(({ count }) => count > 0 && count <= parcel.maxEvents),
      bytes: ring.bytes,
      firstAt: ring.first?.at,
      firstIsFirst: ring.first === parcels[0],
    }).toEqual({
      texts: model.map(({ text }) => text),
      times: model.map(({ time }) => time),
      sizesAreRight: true,
      bytes: parcels.reduce((sum, { events }) => sum + events.bytes.length, 0),
      firstAt: model[0]?.time,
      firstIsFirst: true,
    });
  };
  for (const [time, step] of steps.entries()) {
    if (step.kind === 'push') {
      const text = step.text.repeat(step.repeat);
      const bytes = isWatched ? ring.bytes + textWriter.byteLength(text) + 1 : 0;
      const isTaken = ring.push(text, time);
      expectSame(isTaken, model.length < limit.maxEvents && bytes <= limit.maxBytes);
      if (isTaken) model.push({ text, time });
    } else if (step.kind === 'shift') {
      const first = shift(ring);
      expect(first && textsOf(first)).toEqual(first && model.slice(0, first.count).map(({ text }) => text));
      taken = first && { parcel: first, events: model.splice(0, first.count) };
    } else if (step.kind === 'unshift' && taken) {
      ring.putBack(taken.parcel);
      model = [...taken.events, ...model];
      taken = undefined;
    }
    expectSame(ring.count, model.length);
    if (isWatched || step.kind === 'look') look();
  }
  look();
}

function steps(text: fc.Arbitrary<string>, repeat: fc.Arbitrary<number>): fc.Arbitrary<Step[]> {
  const push = fc.record({ kind: fc.constant('push' as const), text, repeat });
  const other = fc.record({ kind: fc.constantFrom('shift' as const, 'unshift' as const, 'look' as const) });
  return fc.array(fc.oneof({ weight: 6, arbitrary: push }, other), { maxLength: 120, size: 'max' });
}

describe('RingBuffer, next to a plain array', () => {
  const characters = fc.oneof(
    fc.constantFrom('a', 'é', '€', '😀', ',', '"', '\0', '\u{10ffff}'),
    anyText({ minLength: 1, maxLength: 1 }),
  );
  const text = fc.array(characters, { maxLength: 12 }).map((list) => list.join(''));
  const bounds = (maxEvents: number, maxBytes: number): fc.Arbitrary<Limit> =>
    fc.record({
      maxEvents: fc.integer({ min: 1, max: maxEvents }),
      maxBytes: fc.integer({ min: 1, max: maxBytes }),
    });

  it('does the same in small bounds', () => {
    const all = [bounds(10, 80), bounds(5, 40), fc.constant(true), steps(text, fc.constant(1))] as const;
    fc.assert(fc.property(...all, compare), { numRuns: cases(100, 50) });
  });

  it('does the same with texts that are written together', () => {
    const all = [
      fc.constant(ALL),
      bounds(50, 2_000),
      fc.boolean(),
      steps(text, fc.nat({ max: 30 })),
    ] as const;
    fc.assert(fc.property(...all, compare), { numRuns: cases(50) });
  });

  it('does the same with large events', () => {
    const repeat = fc.integer({ min: 1, max: 50_000 });
    const limit = bounds(40, 1_500_000);
    const all = [limit, bounds(20, 300_000), fc.constant(true), steps(characters, repeat)] as const;
    fc.assert(fc.property(...all, compare), { numRuns: cases(10, 4) });
  });
});
