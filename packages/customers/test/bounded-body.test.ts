import { describe, expect, it } from 'vitest';
import { readBounded } from '../src/bounded-body.ts';

const encoder = new TextEncoder();

/** A body of these chunks. It counts how many were read. */
function chunks(...parts: Uint8Array[]): {
  body: { getReader(): { read(): Promise<Chunk> } };
  taken: () => number;
} {
  let taken = 0;
  const read = async (): Promise<Chunk> => {
    const value = parts[taken];
    taken += 1;
    return value === undefined ? { done: true } : { done: false, value };
  };
  return { body: { getReader: () => ({ read }) }, taken: () => taken };
}

interface Chunk {
  readonly done: boolean;
  readonly value?: Uint8Array;
}

describe('a body', () => {
  it('is read to its end where it is small enough', async () => {
    expect(await readBounded(chunks(encoder.encode('ab'), encoder.encode('cd')).body, 4)).toBe('abcd');
    expect(await readBounded(new Response('text').body, 4)).toBe('text');
  });

  it('may be missing or empty', async () => {
    expect(await readBounded(null, 4)).toBe('');
    expect(await readBounded(chunks().body, 4)).toBe('');
  });

  it('is given up at the first byte too many, and nothing more is read', async () => {
    const endless = chunks(...Array.from({ length: 1000 }, () => encoder.encode('ab')));
    expect(await readBounded(endless.body, 5)).toBeUndefined();
    expect(endless.taken()).toBe(3);
  });

  it('keeps characters whole that are cut between chunks', async () => {
    const owl = encoder.encode('{"a":"🦉ż"}');
    const bytes = Array.from(owl, (byte) => Uint8Array.of(byte));
    expect(await readBounded(chunks(...bytes).body, 100)).toBe('{"a":"🦉ż"}');
  });

  it('that is not UTF-8 does not throw', async () => {
    expect(await readBounded(chunks(Uint8Array.of(0xff, 0x41)).body, 100)).toBe('\ufffdA');
  });
});
