import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/*
 * The start of a segment's file (FORMAT.md):
 *
 *   FF FE "SLUICE" | version u8 | 0 0 0 | first index u32 | base time f64 | id u32 | crc u32
 */
const START = Buffer.from([0xff, 0xfe, ...Buffer.from('SLUICE')]);
const VERSION = 2;
const FIRST_AT = 12;
const BASE_TIME_AT = 16;
const ID_AT = 24;
const CRC_AT = 28;

export const SEGMENT_HEADER_BYTES = 32;

export interface SegmentHeader {
  /** The index of its first event. */
  readonly first: number;
  /** The time that the ages of its events count from, in milliseconds since 1970. */
  readonly baseTime: number;
  /** A random number that all frames of the segment carry. */
  readonly id: number;
}

export function newHeader(first: number, baseTime: number): SegmentHeader {
  return { first, baseTime, id: randomBytes(4).readUInt32LE() };
}

export function writeHeader({ first, baseTime, id }: SegmentHeader): Buffer {
  const header = Buffer.alloc(SEGMENT_HEADER_BYTES);
  START.copy(header);
  header[START.length] = VERSION;
  header.writeUInt32LE(first, FIRST_AT);
  header.writeDoubleLE(baseTime, BASE_TIME_AT);
  header.writeUInt32LE(id, ID_AT);
  header.writeUInt32LE(crc32(header.subarray(0, CRC_AT)), CRC_AT);
  return header;
}

/**
 * Reads the first bytes of a file. `empty`: what a power cut leaves of a file that was never synced. `other version`: the
 * checksum is correct, but this code does not know the version.
 */
export function readHeader(bytes: Buffer): SegmentHeader | 'empty' | 'other version' | 'damaged' {
  if (bytes.length < SEGMENT_HEADER_BYTES) {
    const isStart = bytes.subarray(0, START.length).equals(START.subarray(0, bytes.length));
    return isStart || bytes.every((byte) => byte === 0) ? 'empty' : 'damaged';
  }
  const isSound =
    bytes.subarray(0, START.length).equals(START) &&
    crc32(bytes.subarray(0, CRC_AT)) === bytes.readUInt32LE(CRC_AT);
  if (!isSound) return 'damaged';
  if (bytes[START.length] !== VERSION) return 'other version';
  return {
    first: bytes.readUInt32LE(FIRST_AT),
    baseTime: bytes.readDoubleLE(BASE_TIME_AT),
    id: bytes.readUInt32LE(ID_AT),
  };
}

export const SEGMENT_SUFFIX = '.segment';
export const ACKNOWLEDGEMENTS_SUFFIX = '.acks';

/** The name of a segment, without a suffix. The names of one process sort in the order of creation. */
export function segmentName(number: number): string {
  return String(number).padStart(8, '0');
}
