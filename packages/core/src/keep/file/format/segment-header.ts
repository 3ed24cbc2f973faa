import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { OpenFile } from '../disk/file-system.ts';

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

export class SegmentHeader {
  static readonly BYTES = 32;
  /** The index of its first event. */
  readonly first: number;
  /** The time that the ages of its events count from, in milliseconds since 1970. */
  readonly baseTime: number;
  /** A random number that all frames of the segment carry. */
  readonly id: number;

  constructor(first: number, baseTime: number, id: number = randomBytes(4).readUInt32LE()) {
    this.first = first;
    this.baseTime = baseTime;
    this.id = id;
  }

  /**
   * Reads the start of a file of so many bytes. `empty`: what a power cut leaves of a file that was never synced. `other version`: the
   * checksum is correct, but this code does not know the version.
   */
  static async read(
    file: Pick<OpenFile, 'read'>,
    size: number,
  ): Promise<SegmentHeader | 'empty' | 'other version' | 'damaged'> {
    const target = Buffer.alloc(Math.min(size, SegmentHeader.BYTES));
    const bytes = target.subarray(0, await file.read(target, 0));
    const isStart = bytes.subarray(0, START.length).equals(START.subarray(0, bytes.length));
    if (bytes.length < SegmentHeader.BYTES)
      return isStart || bytes.every((byte) => byte === 0) ? 'empty' : 'damaged';
    if (!isStart || crc32(bytes.subarray(0, CRC_AT)) !== bytes.readUInt32LE(CRC_AT)) return 'damaged';
    if (bytes[START.length] !== VERSION) return 'other version';
    return new SegmentHeader(
      bytes.readUInt32LE(FIRST_AT),
      bytes.readDoubleLE(BASE_TIME_AT),
      bytes.readUInt32LE(ID_AT),
    );
  }

  get bytes(): Buffer {
    const header = Buffer.alloc(SegmentHeader.BYTES);
    START.copy(header);
    header[START.length] = VERSION;
    header.writeUInt32LE(this.first, FIRST_AT);
    header.writeDoubleLE(this.baseTime, BASE_TIME_AT);
    header.writeUInt32LE(this.id, ID_AT);
    header.writeUInt32LE(crc32(header.subarray(0, CRC_AT)), CRC_AT);
    return header;
  }
}

export const SEGMENT_SUFFIX = '.segment';
export const ACKNOWLEDGEMENTS_SUFFIX = '.acks';

/** The name of a segment, without a suffix. The names of one process sort in the order of creation. */
export function segmentName(number: number): string {
  return String(number).padStart(8, '0');
}
