import { describe, expect, it } from 'vitest';
import { readText } from '../../src/toolbox/read-text.ts';

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

/** The text of a body; undefined if it has more bytes. */
async function textOf(body: Parameters<typeof readText>[0], mostBytes: number): Promise<string | undefined> {
  const parts: string[] = [];
  return (await readText(body, mostBytes, parts)) ? parts.join('') : undefined;
}

describe('a body', () => {
  it('is read to its end where it is small enough', async () => {
    expect(await textOf(chunks(encoder.encode('ab'), encoder.encode('cd')).body, 4)).toBe('abcd');
    expect(await textOf(new Response('text').body, 4)).toBe('text');
  });

  it('may be missing or empty', async () => {
    expect(await textOf(null, 4)).toBe('');
    expect(await textOf(chunks().body, 4)).toBe('');
  });

  it('is given up at the first byte too many, and nothing more is read', async () => {
    const endless = chunks(...Array.from({ length: 1000 }, () => encoder.encode('ab')));
    expect(await textOf(endless.body, 5)).toBeUndefined();
    expect(endless.taken()).toBe(3);
  });

  it('gives its first bytes even if it has more, or breaks off', async () => {
    const parts: string[] = [];
    expect(await readText(chunks(encoder.encode('ab'), encoder.encode('cd')).body, 3, parts)).toBe(false);
    expect(parts.join('')).toBe('abc');
    let read = 0;
    const breaking = async (): Promise<Chunk> => {
      read += 1;
      if (read > 1) throw new Error('broken');
      return { done: false, value: encoder.encode('ef') };
    };
    const broken = readText({ getReader: () => ({ read: breaking }) }, 9, parts);
    await expect(broken).rejects.toThrow('broken');
    expect(parts.join('')).toBe('abcef');
  });

  it.each([
    ['fails', () => Promise.reject(new Error('scripted'))],
    ['hangs', () => new Promise<never>(() => {})],
  ])('that is too large is given up also where that %s', async (_, cancel) => {
    const read = async (): Promise<Chunk> => ({ done: false, value: encoder.encode('abc') });
    expect(await textOf({ getReader: () => ({ read, cancel }) }, 2)).toBeUndefined();
  });

  it('keeps characters whole that are cut between chunks', async () => {
    const owl = encoder.encode('{"a":"🦉ż"}');
    const bytes = Array.from(owl, (byte) => Uint8Array.of(byte));
    expect(await textOf(chunks(...bytes).body, 100)).toBe('{"a":"🦉ż"}');
  });

  it('that is not UTF-8 does not throw', async () => {
    expect(await textOf(chunks(Uint8Array.of(0xff, 0x41)).body, 100)).toBe('\ufffdA');
  });
});
