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

/**
 * Reads the intact records in some bytes of a file. Returns where the next bytes are to start: after the last record, or where one
 * may be cut short.
 *
 * @param end The index after the last event of the segment. Records of later ones are none: noise rarely looks like the others.
 */
export function readAcknowledgements(
  id: number,
  end: number,
  bytes: Buffer,
  release: (from: number, to: number) => void,
): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let at = 0;
  while (at + ACKNOWLEDGEMENT_BYTES <= bytes.length) {
    const from = view.getUint32(at, true);
    const to = view.getUint32(at + 4, true);
    const isIntact =
      from < to &&
      from < end &&
      crc32(bytes.subarray(at, at + CRC_AT), id) === view.getUint32(at + CRC_AT, true);
    if (isIntact) release(from, to);
    // After an incomplete record, the next one may start at any byte.
    at += isIntact ? ACKNOWLEDGEMENT_BYTES : 1;
  }
  return at;
}
