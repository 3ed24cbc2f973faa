import { BodyMemory } from '../../src/wait/body-memory.ts';
import type { TextWriter } from '../../src/wait/ring-buffer.ts';

const encoder = new TextEncoder();
const allocate = (bytes: number): Uint8Array => new Uint8Array(bytes);

/** Writes text with functions that Node and browsers both have. */
export const textWriter: TextWriter = {
  allocate,
  createBodies: () => new BodyMemory(allocate),
  write: (text, target, offset) => encoder.encodeInto(text, target.subarray(offset)).written,
  byteLength: (text) => encoder.encode(text).length,
  blockBytes: 512 * 1024,
  mostWrittenBytes: 16 * 1024 * 1024,
};
