import { describe, expect, it } from 'vitest';
import { joinEvents } from '../src/index.ts';
import { BATCH_HEAD_LENGTH, BATCH_OVERHEAD_BYTES, encloseBatch } from '../src/toolbox/index.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true });

/** Makes a body in place, as a sender does: the memory is larger than the body. */
function enclose(joined: Uint8Array): Uint8Array {
  const memory = new Uint8Array(joined.length + 1_000).fill(0xff);
  memory.set(joined, BATCH_HEAD_LENGTH);
  return encloseBatch(memory, joined.length);
}

/** A small random number generator (mulberry32). It has a seed, so that a failure can be repeated. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function randomText(random: () => number): string {
  const ranges = [0x20, 0x80, 0x800, 0x1_0000, 0x11_0000];
  const below = (bound: number): number => Math.floor(random() * bound);
  return Array.from({ length: below(20) }, () => {
    const code = below(ranges[below(ranges.length)] ?? 0x80);
    return random() < 0.1 ? String.fromCharCode(0xd800 + below(0x800)) : String.fromCodePoint(code);
  }).join('');
}

describe('a batch body', () => {
  it('holds the given texts as they are, and nothing is parsed', () => {
    expect(joinEvents(['{"a": 1}', '{"b":2 }'])).toBe('{"batch":[{"a": 1},{"b":2 }]}');
    expect(joinEvents(['not json'])).toBe('{"batch":[not json]}');
    expect(decoder.decode(enclose(encoder.encode('{"a":1},{"b":2}')))).toBe('{"batch":[{"a":1},{"b":2}]}');
  });

  it('has a known overhead besides its events and commas', () => {
    expect(joinEvents([]).length).toBe(BATCH_OVERHEAD_BYTES);
    expect(enclose(new Uint8Array()).length).toBe(BATCH_OVERHEAD_BYTES);
    expect(joinEvents(['x']).indexOf('x')).toBe(BATCH_HEAD_LENGTH);
  });

  it.each([1, 2, 3, 4, 5])(
    'is the same as text and as bytes, and parses to what went in (seed %i)',
    (seed) => {
      const random = generator(seed);
      for (let round = 0; round < 200; round += 1) {
        const events = Array.from({ length: 1 + Math.floor(random() * 5) }, () => ({
          event: randomText(random),
          payload: { [randomText(random)]: randomText(random) },
        }));
        const texts = events.map((event) => JSON.stringify(event));
        const joined = joinEvents(texts);
        const bytes = enclose(encoder.encode(texts.join(',')));
        expect(decoder.decode(bytes)).toBe(joined);
        expect(bytes.length).toBe(
          BATCH_OVERHEAD_BYTES + texts.reduce((sum, text) => sum + encoder.encode(text).length + 1, -1),
        );
        expect(JSON.parse(joined)).toEqual({ batch: events });
      }
    },
  );
});
