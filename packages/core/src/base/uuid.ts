const POOL_UUIDS = 256;
const LENGTH = 36;
const DIGITS = new TextEncoder().encode('0123456789abcdef');
const [DASH, VERSION] = [0x2d, 0x34];
/** The two hexadecimal digits of each byte. */
const PAIRS = Uint16Array.from(
  { length: 256 },
  (_, byte) => (DIGITS[byte >> 4] ?? 0) | ((DIGITS[byte & 15] ?? 0) << 8),
);

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

/** Short, plain loops: the engine has usually not optimised this function yet. */
function makePool(): string {
  const random = crypto.getRandomValues(new Uint8Array((POOL_UUIDS * LENGTH) / 2));
  const pairs = new Uint16Array(random.length);
  for (let index = 0; index < random.length; index += 1) pairs[index] = PAIRS[random[index] ?? 0] ?? 0;
  const text = new Uint8Array(pairs.buffer);
  for (let start = 0; start < text.length; start += LENGTH) {
    text[start + 8] = text[start + 13] = text[start + 18] = text[start + 23] = DASH;
    text[start + 14] = VERSION;
    // From the byte that made this digit and the digit before it, which is a dash now.
    text[start + 19] = DIGITS[8 | ((random[(start + 18) / 2] ?? 0) & 3)] ?? 0;
  }
  return new TextDecoder().decode(text);
}
