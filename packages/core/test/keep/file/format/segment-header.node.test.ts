import { crc32 } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import {
  newHeader,
  readHeader,
  SEGMENT_HEADER_BYTES,
  writeHeader,
} from '../../../../src/keep/file/format/segment-header.ts';

const HEADER = { first: 7, baseTime: Date.UTC(2026, 0, 1), id: 0xfedcba98 };

/** A changed header with a valid checksum. */
function changed(change: (header: Buffer) => void): Buffer {
  const header = writeHeader(HEADER);
  change(header);
  header.writeUInt32LE(crc32(header.subarray(0, 28)), 28);
  return header;
}

describe('the header of a segment', () => {
  it('has the bytes that are written down for it', () => {
    const header = writeHeader(HEADER);
    expect(header).toHaveLength(SEGMENT_HEADER_BYTES);
    expect(header.subarray(0, 12).toString('latin1')).toBe('\xff\xfeSLUICE\x02\0\0\0');
    expect([header.readUInt32LE(12), header.readDoubleLE(16), header.readUInt32LE(24)]).toEqual([
      ...[HEADER.first, HEADER.baseTime, HEADER.id],
    ]);
    expect(header.readUInt32LE(28)).toBe(crc32(header.subarray(0, 28)));
  });

  it('is read as it was written', () => {
    expect(readHeader(writeHeader(HEADER))).toEqual(HEADER);
    const zeroes = { first: 0, baseTime: 0, id: 0 };
    expect(readHeader(writeHeader(zeroes))).toEqual(zeroes);
  });

  it('gives each new segment an id of its own', () => {
    const ids = Array.from({ length: 100 }, () => newHeader(3, 1_000).id);
    expect(new Set(ids).size).toBe(100);
    expect(newHeader(3, 1_000)).toMatchObject({ first: 3, baseTime: 1_000 });
  });

  it('says of another version that it is one, whatever else that has changed', () => {
    const later = changed((header) => {
      header[8] = 3;
      header.fill(0x55, 9, 28);
    });
    expect(readHeader(later)).toBe('other version');
  });

  it('is damaged where any of its bits is wrong, also those that say the version', () => {
    for (let bit = 0; bit < SEGMENT_HEADER_BYTES * 8; bit += 1) {
      const header = writeHeader(HEADER);
      header[bit >> 3] = (header[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(readHeader(header)).toBe('damaged');
    }
  });

  it('is that of an empty segment where a power cut left a part of it, or zeroes, or nothing', () => {
    for (let length = 0; length < SEGMENT_HEADER_BYTES; length += 1) {
      expect(readHeader(writeHeader(HEADER).subarray(0, length))).toBe('empty');
      expect(readHeader(Buffer.alloc(length))).toBe('empty');
    }
    expect(readHeader(Buffer.from('not a segment'))).toBe('damaged');
  });
});
