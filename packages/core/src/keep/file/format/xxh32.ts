/*
 * XXH32 (https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md) with seed 0. Each event is checked by itself. For a
 * few hundred bytes this costs half of a call to zlib's crc32, which is faster per byte but expensive to call.
 */
const PRIME_1 = 0x9e3779b1 | 0;
const PRIME_2 = 0x85ebca77 | 0;
const PRIME_3 = 0xc2b2ae3d | 0;
const PRIME_4 = 0x27d4eb2f;
const PRIME_5 = 0x165667b1;
const STRIPE_BYTES = 16;

/** The checksum of the bytes from `from` (inclusive) to `to` (exclusive), an unsigned number of 32 bits. */
export function xxh32(view: DataView, from: number, to: number): number {
  let at = from;
  let hash = PRIME_5;
  if (to - from >= STRIPE_BYTES) {
    let a = (PRIME_1 + PRIME_2) | 0;
    let b = PRIME_2;
    let c = 0;
    let d = -PRIME_1 | 0;
    for (const last = to - STRIPE_BYTES; at <= last; at += STRIPE_BYTES) {
      a = round(a, view.getInt32(at, true));
      b = round(b, view.getInt32(at + 4, true));
      c = round(c, view.getInt32(at + 8, true));
      d = round(d, view.getInt32(at + 12, true));
    }
    hash = (rotate(a, 1) + rotate(b, 7) + rotate(c, 12) + rotate(d, 18)) | 0;
  }
  hash = (hash + to - from) | 0;
  for (; at + 4 <= to; at += 4) {
    hash = (hash + Math.imul(view.getInt32(at, true), PRIME_3)) | 0;
    hash = Math.imul(rotate(hash, 17), PRIME_4);
  }
  for (; at < to; at += 1) {
    hash = (hash + Math.imul(view.getUint8(at), PRIME_5)) | 0;
    hash = Math.imul(rotate(hash, 11), PRIME_1);
  }
  hash = Math.imul(hash ^ (hash >>> 15), PRIME_2);
  hash = Math.imul(hash ^ (hash >>> 13), PRIME_3);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function round(sum: number, word: number): number {
  return Math.imul(rotate((sum + Math.imul(word, PRIME_2)) | 0, 13), PRIME_1);
}

function rotate(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}
