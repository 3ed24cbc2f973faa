import { describe, expect, it } from 'vitest';
import { nodeFileSystem } from '../../../../src/keep/file/disk/node-file-system.ts';
import { OpenFiles } from '../../../../src/keep/file/segments/open-files.ts';

function createMemory(): OpenFiles['memory'] {
  return new OpenFiles(nodeFileSystem, 1).memory;
}

describe('the memory for reads', () => {
  it('leaves what was read last as it is until something else was read', () => {
    const memory = createMemory();
    const first = memory.take(10);
    memory.give(first);
    const second = memory.take(10);
    expect(second).not.toBe(first);
    memory.give(second);
    expect(memory.take(10)).toBe(first);
  });

  it('gives what was read ahead to whoever goes on there, and to nobody else', () => {
    const memory = createMemory();
    const owner = {};
    const buffer = memory.take(10);
    const bytes = buffer.subarray(4);
    memory.give(buffer, { owner, offset: 7, bytes });
    expect(memory.takeAhead({}, 7)).toBeUndefined();
    expect(memory.takeAhead(owner, 6)).toBeUndefined();
    expect(memory.takeAhead(owner, 7)).toEqual({ buffer, bytes });
    expect(memory.takeAhead(owner, 7)).toBeUndefined();
  });

  it('makes more memory where what it has is too small', () => {
    const memory = createMemory();
    for (let count = 0; count < 2; count += 1) memory.give(memory.take(10));
    expect(memory.take(20)).toHaveLength(20);
  });
});
