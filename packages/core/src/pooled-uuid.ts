const POOL_UUIDS = 256;
const UUID_BYTES = 16;
const UUID_LENGTH = 36;
const DASH = 0x2d;
/** Where the digits of each byte go. */
const PLACES: readonly number[] = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34];
const VERSION_BYTE = 6;
const VARIANT_BYTE = 8;
/** Of each byte, its first digit and its second one. */
const HIGH = digits(4);
const LOW = digits(0);
const decoder = new TextDecoder();

let pool = '';
let next = 0;

/**
 * A random UUID (version 4, RFC 9562), cut from the text of many that are made at once: a text of its own, put together
 * of its digits, costs four times as much. `crypto.randomUUID` does that, and is missing on pages without TLS.
 */
export function pooledUuid(): string {
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
  for (let from = 0, start = 0; from < bytes.length; from += UUID_BYTES, start += UUID_LENGTH) {
    bytes[from + VERSION_BYTE] = ((bytes[from + VERSION_BYTE] ?? 0) & 0x0f) | 0x40;
    bytes[from + VARIANT_BYTE] = ((bytes[from + VARIANT_BYTE] ?? 0) & 0x3f) | 0x80;
    for (let place = 0; place < UUID_BYTES; place += 1) {
      const byte = bytes[from + place] ?? 0;
      const at = start + (PLACES[place] ?? 0);
      text[at] = HIGH[byte] ?? 0;
      text[at + 1] = LOW[byte] ?? 0;
    }
  }
  return decoder.decode(text);
}

function digits(shift: number): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, byte) => ((byte >> shift) & 0x0f).toString(16).charCodeAt(0));
}
