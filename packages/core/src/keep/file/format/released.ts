import { crc32 } from 'node:zlib';
import { firstBehind, type Span } from '../../../base/range.ts';

/*
 * One record holds one released range (FORMAT.md): from u32 | to u32 | crc u32. The CRC-32 starts from the segment's id, so a
 * record of another segment releases nothing here. A damaged or incomplete record costs duplicates, never events. That is why
 * these files are not synced.
 */
const RECORD_BYTES = 12;
const CRC_AT = 8;

/** At most this many runs are read from one file, so that memory and time have a bound. */
const MOST_READ_RUNS = 4 * 1024;

/** Which events of a segment are released: sorted runs of indexes. Indexes that arrive in order take little memory. */
export class Released {
  readonly #runs: Span[] = [];

  /** The records that release these events. @param id The id of the segment. */
  static records(id: number, released: readonly Span[]): Buffer {
    const records = Buffer.alloc(RECORD_BYTES * released.length);
    let at = 0;
    for (const { from, to } of released) {
      records.writeUInt32LE(from, at);
      records.writeUInt32LE(to, at + 4);
      records.writeUInt32LE(crc32(records.subarray(at, at + CRC_AT), id), at + CRC_AT);
      at += RECORD_BYTES;
    }
    return records;
  }

  /** Whether it contains every number below `count`. */
  covers(count: number): boolean {
    const first = this.#runs[0];
    return count === 0 || (first !== undefined && first.from === 0 && first.to >= count);
  }

  /** Adds the numbers `from` (inclusive) to `to` (exclusive). Numbers that are already in the set change nothing. */
  add(from: number, to: number): void {
    if (to <= from) return;
    // The usual order. A splice for each of thousands of runs would hold up the event loop.
    if ((this.#runs.at(-1)?.to ?? -1) < from) {
      this.#runs.push({ from, to });
      return;
    }
    const first = firstBehind(this.#runs, from - 1);
    let merged = { from, to };
    let behind = first;
    for (let next = this.#runs[behind]; next !== undefined && next.from <= to; ) {
      merged = { from: Math.min(merged.from, next.from), to: Math.max(merged.to, next.to) };
      behind += 1;
      next = this.#runs[behind];
    }
    this.#runs.splice(first, behind - first, merged);
  }

  /** Empties it. Returns the runs that were in it. */
  take(): readonly Span[] {
    return this.#runs.splice(0);
  }

  /**
   * Adds the intact records in some bytes of a file. Returns where the next bytes are to start: after the last record, or where
   * one may be cut short.
   *
   * @param id The id of the segment.
   * @param end The index after its last event. Records of later ones are none: noise rarely looks like the others.
   */
  addRecords(id: number, end: number, bytes: Buffer): number {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    let at = 0;
    while (at + RECORD_BYTES <= bytes.length) {
      const from = view.getUint32(at, true);
      const to = view.getUint32(at + 4, true);
      const isIntact =
        from < to &&
        from < end &&
        crc32(bytes.subarray(at, at + CRC_AT), id) === view.getUint32(at + CRC_AT, true);
      if (isIntact && (this.#runs.length < MOST_READ_RUNS || this.#touches(from, to))) this.add(from, to);
      // After an incomplete record, the next one may start at any byte.
      at += isIntact ? RECORD_BYTES : 1;
    }
    return at;
  }

  /** Whether these numbers join a run: then there is no run more. */
  #touches(from: number, to: number): boolean {
    const next = this.#runs[firstBehind(this.#runs, from - 1)];
    return next !== undefined && next.from <= to;
  }

  /** The runs of numbers from `from` (inclusive) to `to` (exclusive) that are not in the set. */
  gaps(from: number, to: number): Span[] {
    const gaps: Span[] = [];
    let start = from;
    for (let index = firstBehind(this.#runs, from - 1); start < to; index += 1) {
      const run = this.#runs[index] ?? { from: to, to };
      if (run.from > start) gaps.push({ from: start, to: Math.min(run.from, to) });
      start = Math.max(start, run.to);
    }
    return gaps;
  }
}
