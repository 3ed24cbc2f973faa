import { crc32 } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { SegmentHeader } from '../../../../src/keep/file/format/segment-header.ts';

const HEADER = new SegmentHeader(7, Date.UTC(2026, 0, 1), 0xfedcba98);

function readHeader(bytes: Buffer): ReturnType<typeof SegmentHeader.read> {
  return SegmentHeader.read({ read: async (target) => bytes.copy(target) }, bytes.length);
}

/** A changed header with a valid checksum. */
function changed(change: (header: Buffer) => void): Buffer {
  const header = HEADER.bytes;
  change(header);
  header.writeUInt32LE(crc32(header.subarray(0, 28)), 28);
  return header;
}

describe('the header of a segment', () => {
  it('has the bytes that are written down for it', () => {
    const header = HEADER.bytes;
    expect(header).toHaveLength(SegmentHeader.BYTES);
    expect(header.subarray(0, 12).toString('latin1')).toBe('\xff\xfeSLUICE\x02\0\0\0');
    expect([header.readUInt32LE(12), header.readDoubleLE(16), header.readUInt32LE(24)]).toEqual([
      ...[HEADER.first, HEADER.baseTime, HEADER.id],
    ]);
    expect(header.readUInt32LE(28)).toBe(crc32(header.subarray(0, 28)));
  });

  it('is read as it was written', async () => {
    expect(await readHeader(HEADER.bytes)).toEqual(HEADER);
    const zeroes = new SegmentHeader(0, 0, 0);
    expect(await readHeader(zeroes.bytes)).toEqual(zeroes);
  });

  it('gives each new segment an id of its own', () => {
    const ids = Array.from({ length: 100 }, () => new SegmentHeader(3, 1_000).id);
    expect(new Set(ids).size).toBe(100);
    expect(new SegmentHeader(3, 1_000)).toMatchObject({ first: 3, baseTime: 1_000 });
  });

  it('says of another version that it is one, whatever else that has changed', async () => {
    const later = changed((header) => {
      header[8] = 3;
      header.fill(0x55, 9, 28);
    });
    expect(await readHeader(later)).toBe('other version');
  });

  it('is damaged where any of its bits is wrong, also those that say the version', async () => {
    for (let bit = 0; bit < SegmentHeader.BYTES * 8; bit += 1) {
      const header = HEADER.bytes;
      header[bit >> 3] = (header[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(await readHeader(header)).toBe('damaged');
    }
  });

  it('is that of an empty segment where a power cut left a part of it, or zeroes, or nothing', async () => {
    for (let length = 0; length < SegmentHeader.BYTES; length += 1) {
      expect(await readHeader(HEADER.bytes.subarray(0, length))).toBe('empty');
      expect(await readHeader(Buffer.alloc(length))).toBe('empty');
    }
    expect(await readHeader(Buffer.from('not a segment'))).toBe('damaged');
  });
});
