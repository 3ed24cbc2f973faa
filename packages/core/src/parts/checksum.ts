/** FNV-1a checksum, 32 bits, as eight hexadecimal digits. Enough to tell a few things apart. */
export function checksum(bytes: Uint8Array): string {
  let value = 0x811c9dc5;
  for (const byte of bytes) value = Math.imul(value ^ byte, 0x01000193);
  return (value >>> 0).toString(16).padStart(8, '0');
}
