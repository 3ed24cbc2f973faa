import { crc32 } from 'node:zlib';

/*
 * One record holds one released range (FORMAT.md): from u32 | to u32 | crc u32. The CRC-32 starts from the segment's id, so a
 * record of another segment releases nothing here. A damaged or incomplete record costs duplicates, never events. That is why
 * these files are not synced.
 */
const ACKNOWLEDGEMENT_BYTES = 12;
const CRC_AT = 8;

/** The record that releases events `from` (inclusive) to `to` (exclusive). */
export function acknowledgementRecord(id: number, from: number, to: number): Buffer {
  const record = Buffer.alloc(ACKNOWLEDGEMENT_BYTES);
  record.writeUInt32LE(from, 0);
  record.writeUInt32LE(to, 4);
  record.writeUInt32LE(crc32(record.subarray(0, CRC_AT), id), CRC_AT);
  return record;
}

/** The ranges that the intact records of a file release. */
export function readAcknowledgements(id: number, bytes: Buffer): { from: number; to: number }[] {
  const released: { from: number; to: number }[] = [];
  for (let at = 0; at + ACKNOWLEDGEMENT_BYTES <= bytes.length; ) {
    const record = bytes.subarray(at, at + ACKNOWLEDGEMENT_BYTES);
    const isIntact = crc32(record.subarray(0, CRC_AT), id) === record.readUInt32LE(CRC_AT);
    if (isIntact) released.push({ from: record.readUInt32LE(0), to: record.readUInt32LE(4) });
    // After an incomplete record, the next one may start at any byte.
    at += isIntact ? ACKNOWLEDGEMENT_BYTES : 1;
  }
  return released;
}
