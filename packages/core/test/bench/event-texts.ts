import type { EventBytes } from '../../src/base/event-bytes.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Events as a journal or the ring buffer has them: UTF-8, separated by commas. */
export function toEventBytes(texts: readonly string[]): EventBytes {
  const ends: number[] = [];
  let length = -1;
  for (const text of texts) {
    length += 1 + encoder.encode(text).length;
    ends.push(length);
  }
  return { bytes: encoder.encode(texts.join(',')), ends: Uint32Array.from(ends) };
}

/** The text of each event. Throws unless exactly one comma separates two events, and no bytes are left over. */
export function toTexts({ bytes, ends }: EventBytes): string[] {
  let start = 0;
  const texts: string[] = [];
  for (const end of ends) {
    if (start > 0 && bytes[start - 1] !== 0x2c) throw new Error(`no comma before byte ${start}`);
    texts.push(decoder.decode(bytes.subarray(start, end)));
    start = end + 1;
  }
  if (bytes.length !== Math.max(0, start - 1))
    throw new Error(`${bytes.length} bytes, ends say ${start - 1}`);
  return texts;
}
