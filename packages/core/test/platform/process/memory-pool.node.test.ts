import { describe, expect, it } from 'vitest';
import { MemoryPool } from '../../../src/platform/process/memory-pool.ts';

const MIB = 1024 * 1024;

function createPool(): MemoryPool {
  return new MemoryPool((bytes) => new Uint8Array(bytes));
}

describe('MemoryPool', () => {
  it('provides at least as many bytes as are asked for', () => {
    const memory = createPool();
    for (const bytes of [0, 1, 4095, 4096, 4097, 100_000, MIB])
      expect(memory.take(bytes).length).toBeGreaterThanOrEqual(bytes);
  });

  it('provides few sizes, so that the memory of one parcel fits another', () => {
    const memory = createPool();
    const sizes = [1, 64, 4096, 4097, 5000, 8192, 8193].map((bytes) => memory.take(bytes).length);
    expect(sizes).toEqual([64, 64, 4096, 5120, 5120, 8192, 10_240]);
  });

  it('provides again what it was given', () => {
    const memory = createPool();
    const [first, second] = [memory.take(5000), memory.take(4500)];
    memory.give(first);
    memory.give(second);
    expect(new Set([memory.take(4200), memory.take(5100)])).toEqual(new Set([first, second]));
  });

  it('never provides the same memory twice before it gets it back', () => {
    const memory = createPool();
    memory.give(memory.take(10));
    const taken = [memory.take(10), memory.take(10), memory.take(10)];
    expect(new Set(taken.map(({ buffer }) => buffer)).size).toBe(3);
  });

  it('does not provide memory that is too small', () => {
    const memory = createPool();
    memory.give(memory.take(4096));
    expect(memory.take(4097).length).toBe(5120);
  });

  it('keeps at most eight mebibytes that nobody uses', () => {
    const memory = createPool();
    const burst = Array.from({ length: 12 }, () => memory.take(MIB));
    for (const piece of burst) memory.give(piece);
    const again = Array.from({ length: 12 }, () => memory.take(MIB));
    expect(again.filter((piece) => burst.includes(piece)).length).toBe(8);
  });

  it('keeps more once it has provided some of what it kept', () => {
    const memory = createPool();
    const [first, second] = [memory.take(8 * MIB), memory.take(8 * MIB)];
    memory.give(first);
    expect(memory.take(8 * MIB)).toBe(first);
    memory.give(second);
    expect(memory.take(8 * MIB)).toBe(second);
  });
});
