import { describe, expect, it } from 'vitest';
import { BodyMemory } from '../../src/wait/body-memory.ts';

const KIB = 1024;

function createMemory(): BodyMemory {
  return new BodyMemory((bytes) => new Uint8Array(bytes));
}

describe('BodyMemory', () => {
  it('gives memory again that was given back, to bodies that differ a little', () => {
    const memory = createMemory();
    const first = memory.take(200 * KIB);
    expect(memory.take(200 * KIB)).not.toBe(first);
    memory.give(first);
    expect(memory.take(201 * KIB)).toBe(first);
  });

  it('gives at least as much as is asked for', () => {
    const memory = createMemory();
    memory.give(memory.take(10));
    expect(memory.take(300 * KIB).length).toBeGreaterThanOrEqual(300 * KIB);
  });

  it('keeps a few pieces, and none that is very large', () => {
    const memory = createMemory();
    const taken = Array.from({ length: 10 }, () => memory.take(KIB));
    for (const piece of taken) memory.give(piece);
    const again = Array.from({ length: 10 }, () => memory.take(KIB));
    expect(again.filter((piece) => taken.includes(piece))).toHaveLength(6);
    const large = memory.take(2 * KIB * KIB);
    memory.give(large);
    // Not `not.toBe`, which first compares such pieces byte by byte.
    expect(memory.take(2 * KIB * KIB) === large).toBe(false);
  });
});
