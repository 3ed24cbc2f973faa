import { MemoryPool } from '../../src/platform/process/memory-pool.ts';
import type { TextWriter } from '../../src/wait/contents.ts';

const encoder = new TextEncoder();
const allocate = (bytes: number): Uint8Array => new Uint8Array(bytes);

/** Writes text with functions that Node and browsers both have. */
export const textWriter: TextWriter = {
  write: (text, target, offset) => encoder.encodeInto(text, target.subarray(offset)).written,
  byteLength: (text) => encoder.encode(text).length,
  mostWrittenBytes: 16 * 1024 * 1024,
  createMemory: () => new MemoryPool(allocate),
};
