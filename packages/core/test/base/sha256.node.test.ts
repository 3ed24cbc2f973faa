import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { sha256 } from '../../src/base/sha256.ts';
import { subtleSha256 } from '../../src/platform/subtle-sha256.ts';

const expected = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 32);

it.each([0, 1, 54, 55, 56, 63, 64, 65, 119, 120, 1_000])(
  'has the first 128 bits of the SHA-256 of a text of %d characters',
  async (length) => {
    const text = 'a'.repeat(length);
    expect(sha256(text)).toBe(expected(text));
    expect(await subtleSha256(text)).toBe(expected(text));
  },
);

it('has those of any text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
      expect(sha256(text)).toBe(expected(text));
    }),
  );
});
