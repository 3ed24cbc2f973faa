const POOL_UUIDS = 256;
const LENGTH = 36;
const DASH = 0x2d;
const VERSION = 0x34;

let pool = '';
let next = 0;

/**
 * A random UUID (version 4, RFC 9562). Makes the text of many UUIDs at once and cuts one from it. Joining the digits of each
 * UUID costs four times as much, and `crypto.randomUUID` in a page ten times. Pages without TLS do not have
 * `crypto.randomUUID`.
 */
export function uuid(): string {
  if (next >= pool.length) {
    pool = makePool();
    next = 0;
  }
  next += LENGTH;
  return pool.slice(next - LENGTH, next);
}

/** Makes four digits at once. Short, plain loops: the engine has usually not optimised this function yet. */
function makePool(): string {
  const text = crypto.getRandomValues(new Uint8Array(POOL_UUIDS * LENGTH));
  // Of the variant's digit, the upper two bits are fixed.
  for (let at = 19; at < text.length; at += LENGTH) text[at] = 8 | ((text[at] ?? 0) & 3);
  const words = new Uint32Array(text.buffer);
  for (let at = 0; at < words.length; at += 1) {
    const digits = (words[at] ?? 0) & 0x0f0f0f0f;
    // 1 in the byte of each digit above 9: from '9' to 'a', there are 39 other characters.
    const letters = ((digits + 0x06060606) >>> 4) & 0x01010101;
    words[at] = digits + 0x30303030 + letters * 39;
  }
  for (let at = 0; at < text.length; at += LENGTH) {
    text[at + 8] = text[at + 13] = text[at + 18] = text[at + 23] = DASH;
    text[at + 14] = VERSION;
  }
  return new TextDecoder().decode(text);
}
