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
  const hex = (index: number, mask = 0xff, set = 0) => HEX[((pool[at + index] ?? 0) & mask) | set] ?? '';
  return (
    `${hex(0)}${hex(1)}${hex(2)}${hex(3)}-${hex(4)}${hex(5)}-${hex(6, 0x0f, 0x40)}${hex(7)}-` +
    `${hex(8, 0x3f, 0x80)}${hex(9)}-${hex(10)}${hex(11)}${hex(12)}${hex(13)}${hex(14)}${hex(15)}`
  );
}
