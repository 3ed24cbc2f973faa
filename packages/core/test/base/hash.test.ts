import { describe, expect, it } from 'vitest';
import { hashOf } from '../../src/base/hash.ts';

describe('a hash', () => {
  it('is the same for the same text, and short', () => {
    for (const text of ['', 'a', 'ä€😀', 'x'.repeat(10_000)]) {
      expect(hashOf(text)).toBe(hashOf(text));
      expect(hashOf(text)).toBeLessThan(2 ** 44);
    }
  });

  it('tells 200,000 similar texts apart', () => {
    const texts = Array.from({ length: 200_000 }, (_, number) => `customer-${number}@example.com`);
    expect(new Set(texts.map(hashOf)).size).toBe(texts.length);
  });
});
