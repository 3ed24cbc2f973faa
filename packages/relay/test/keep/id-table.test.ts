import fc from 'fast-check';
import { expect, it } from 'vitest';
import { BYTES_PER_ID, IdTable } from '../../src/keep/id-table.ts';

/** Few different first words: most keys meet in the same places. */
const key = fc
  .tuple(fc.constantFrom(1, 2, 2 ** 31, 2 ** 32 - 1), fc.nat(3), fc.nat(3))
  .map((words) => ({ words: Uint32Array.from(words), at: 0 }));

it('knows exactly the keys that were added and not deleted', () => {
  const step = fc.tuple(fc.boolean(), key);
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const table = new IdTable(64 * 12);
      const model = new Map<string, Uint32Array>();
      for (const [isAdded, one] of steps) {
        if (isAdded && model.size < table.most) {
          table.add(one);
          model.set(one.words.join(), one.words);
        } else {
          table.delete(one);
          model.delete(one.words.join());
        }
        expect(table.has(one)).toBe(model.has(one.words.join()));
      }
      expect(table.count).toBe(model.size);
      for (const words of model.values()) expect(table.has({ words, at: 0 })).toBe(true);
    }),
  );
});

it('takes 17 bytes an id when it is full: 34 in two tables', () => {
  const { most } = new IdTable(1_700_000);
  expect(1_700_000 / most).toBeGreaterThanOrEqual(BYTES_PER_ID);
  expect(1_700_000 / most).toBeLessThan(BYTES_PER_ID + 0.01);
});
