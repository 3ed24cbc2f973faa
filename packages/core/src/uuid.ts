const POOL_UUIDS = 256;
const UUID_BYTES = 16;
const UUID_LENGTH = 36;
const DASH = 0x2d;
const DIGITS: readonly number[] = Array.from('0123456789abcdef', (digit) => digit.charCodeAt(0));
const decoder = new TextDecoder();

let pool = '';
let next = 0;

/**
 * A random UUID (version 4, RFC 9562), cut from the text of many that are made at once: a text of its own, put together
 * of its digits, costs four times as much. `crypto.randomUUID` does that, and is missing on pages without TLS.
 */
export function uuid(): string {
  if (next >= pool.length) {
    pool = makePool();
    next = 0;
  }
  next += UUID_LENGTH;
  return pool.slice(next - UUID_LENGTH, next);
}

function makePool(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(POOL_UUIDS * UUID_BYTES));
  const text = new Uint8Array(POOL_UUIDS * UUID_LENGTH).fill(DASH);
  let at = 0;
  for (let index = 0; index < bytes.length; index += 1) {
    const place = index % UUID_BYTES;
    let byte = bytes[index] ?? 0;
    if (place === 6) byte = (byte & 0x0f) | 0x40;
    if (place === 8) byte = (byte & 0x3f) | 0x80;
    if (place === 4 || place === 6 || place === 8 || place === 10) at += 1;
    text[at] = DIGITS[byte >> 4] ?? 0;
    text[at + 1] = DIGITS[byte & 0x0f] ?? 0;
    at += 2;
  }
  return decoder.decode(text);
}
