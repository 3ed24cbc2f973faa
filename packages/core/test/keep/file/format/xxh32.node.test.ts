import { describe, expect, it } from 'vitest';
import { xxh32 } from '../../../../src/keep/file/format/xxh32.ts';

function ofText(text: string): number {
  const bytes = new TextEncoder().encode(text);
  return xxh32(new DataView(bytes.buffer), 0, bytes.length);
}

describe('xxh32', () => {
  it.each([
    ['', 0x02cc5d05],
    ['a', 0x550d7456],
    ['abc', 0x32d153ff],
    ['Nobody inspects the spammish repetition', 0xe2293b2f],
  ])('is what others make of %j', (text, expected) => {
    expect(ofText(text)).toBe(expected);
  });

  it('looks at no byte outside', () => {
    const bytes = Buffer.alloc(100, 'x');
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    const before = xxh32(view, 7, 60);
    bytes.fill('y', 0, 7).fill('y', 60);
    expect(xxh32(view, 7, 60)).toBe(before);
    expect(before).toBe(ofText('x'.repeat(53)));
  });

  it('tells bytes apart that differ in one bit, at any length', () => {
    for (let length = 1; length < 40; length += 1) {
      const bytes = new Uint8Array(length);
      const view = new DataView(bytes.buffer);
      const seen = new Set([xxh32(view, 0, length)]);
      for (let bit = 0; bit < length * 8; bit += 1) {
        bytes[bit >> 3] = 1 << (bit & 7);
        seen.add(xxh32(view, 0, length));
        bytes[bit >> 3] = 0;
      }
      expect(seen.size).toBe(length * 8 + 1);
    }
  });
});
