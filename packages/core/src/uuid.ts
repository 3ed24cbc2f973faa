const POOL_UUIDS = 128;
const UUID_BYTES = 16;
const HEX: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

let pool = new Uint8Array(0);
let next = 0;

/**
 * A random UUID (version 4, RFC 9562). `crypto.randomUUID` is missing on pages without TLS;
 * drawing randomness for many at once is also faster.
 */
export function uuid(): string {
  if (next >= pool.length) {
    pool = crypto.getRandomValues(new Uint8Array(POOL_UUIDS * UUID_BYTES));
    next = 0;
  }
  const at = next;
  next += UUID_BYTES;
  return (
    `${hex(at)}${hex(at + 1)}${hex(at + 2)}${hex(at + 3)}-${hex(at + 4)}${hex(at + 5)}-` +
    `${HEX[(byte(at + 6) & 0x0f) | 0x40]}${hex(at + 7)}-${HEX[(byte(at + 8) & 0x3f) | 0x80]}${hex(at + 9)}-` +
    `${hex(at + 10)}${hex(at + 11)}${hex(at + 12)}${hex(at + 13)}${hex(at + 14)}${hex(at + 15)}`
  );
}

function byte(index: number): number {
  return pool[index] ?? 0;
}

function hex(index: number): string | undefined {
  return HEX[byte(index)];
}
