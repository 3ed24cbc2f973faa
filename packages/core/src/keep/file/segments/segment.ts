import { join } from 'node:path';
import { storageError } from '../../../base/errors/storage-error.ts';
import { type Limit, NO_EVENTS } from '../../../base/event-bytes.ts';
import type { Range } from '../../../base/range.ts';
import type { Reading } from '../../journal.ts';
import { errorCode, type FileSystem, type OpenFile } from '../disk/file-system.ts';
import { writeAll } from '../disk/write-all.ts';
import { acknowledgementRecord, readAcknowledgements } from '../format/acknowledgements.ts';
import { FrameReader } from '../format/frame.ts';
import { IndexSet } from '../format/index-set.ts';
import { findId, findIntactRuns, type IntactRun, runBehind } from '../format/intact-runs.ts';
import { readHeader, SEGMENT_HEADER_BYTES, type SegmentHeader } from '../format/segment-header.ts';
import type { OpenFiles } from './open-files.ts';
import type { ReadingBuffer } from './reading-buffer.ts';
import { SegmentReader } from './segment-reader.ts';

export const SEGMENT_SUFFIX = '.segment';
export const ACKNOWLEDGEMENTS_SUFFIX = '.acks';
const DAMAGED_SUFFIX = '.damaged';
/** How much of the end of a file is read to find the index of its last event. */
const TAIL_BYTES = 64 * 1024;
/** If the last event is larger than that, the next read takes this many times more. */
const TAIL_GROWTH = 8;

/**
 * Error codes that mean: this is no `.acks` file of ours, and will not become one. Without its records there are duplicates,
 * but no lost events.
 */
const NEVER_READABLE = new Set([
  'ENOENT',
  'ELOOP',
  'EISDIR',
  'ENXIO',
  'ENOTDIR',
  'EACCES',
  'EPERM',
  'EINVAL',
]);

/** What all segments of a journal share. */
export interface SegmentContext {
  readonly fs: FileSystem;
  readonly files: OpenFiles;
  readonly readingBuffer: ReadingBuffer;
  /** The slot's own directory, which is not removed with its last segment. */
  readonly ownDirectory: () => string | undefined;
  /** Called when bytes are found that are not intact events. */
  readonly onDamaged: (path: string, bytes: number) => void;
  readonly onFailed: (error: Error) => void;
}

/** Consecutive events of a segment. */
export interface Run {
  readonly from: number;
  readonly to: number;
}

/** The result of a scan of the whole file, when it had this `size`. */
interface Findings {
  /** Where its intact events are. */
  readonly runs: readonly IntactRun[];
  /** Bytes that are not intact events. */
  readonly damaged: number;
  readonly size: number;
}

/**
 * A segment is two files (FORMAT.md): `<name>.segment` with a header and frames, and `<name>.acks` with the released ranges.
 * This class reads and releases; SegmentWriter appends.
 */
export class Segment {
  /** Its number in ranges. */
  readonly number: number;
  readonly directory: string;
  readonly #context: SegmentContext;
  readonly #name: string;
  readonly #reader: SegmentReader;
  readonly #released = new IndexSet();
  #records: Buffer[] = [];
  /** The next write of records. It waits for the write in progress. */
  #noting: Promise<void> | undefined;
  #noted: Promise<void> = Promise.resolve();
  /** Set only if the whole file was scanned because of damage. */
  #findings: Findings | undefined;
  /** The id that its frames carry. */
  id = 0;
  /** The time that ages count from, in milliseconds since 1970; NaN if unknown. */
  baseTime: number = Number.NaN;
  /** The index after its last event. */
  end = 0;
  /** Confirmed bytes of the `.segment` file; `#recordBytes` are those of the `.acks` file. */
  #size: number = SEGMENT_HEADER_BYTES;
  #recordBytes = 0;
  /** Called with the number of bytes by which its files grew. */
  onGrowth: (bytes: number) => void = () => {};
  /** Whether no more events will be appended. */
  sealed = false;

  constructor(context: SegmentContext, number: number, directory: string, name: string) {
    this.#context = context;
    this.number = number;
    this.directory = directory;
    this.#name = name;
    this.#reader = new SegmentReader(this, context.readingBuffer);
  }

  /** The path of the `.segment` file. */
  get path(): string {
    return this.#pathOf(SEGMENT_SUFFIX);
  }

  /** Confirmed bytes of the `.segment` file. */
  get size(): number {
    return this.#size;
  }

  /** Bytes of both files. */
  get bytes(): number {
    return this.#size + this.#recordBytes;
  }

  /** The writer added events: the new `end`, and the size of their frames. */
  grow(end: number, bytes: number): void {
    this.end = end;
    this.#size += bytes;
    this.onGrowth(bytes);
  }

  /** Whether all its events are released. */
  get isReleased(): boolean {
    return this.#released.covers(this.end);
  }

  /** Whether all its events are released and no more can come. */
  get isDone(): boolean {
    return this.sealed && this.isReleased;
  }

  /** Takes over the fields of its header. */
  begin({ first, baseTime, id }: SegmentHeader): void {
    this.id = id;
    this.baseTime = baseTime;
    this.end = first;
    // Earlier indexes do not belong to this file.
    this.#released.add(0, first);
  }

  /**
   * Takes over a segment of a previous process. Returns its events that are not released; undefined if this code does not
   * know its version. Reads only the start and the end: damage between them is found when it is read.
   */
  async recover(): Promise<readonly Run[] | undefined> {
    this.sealed = true;
    const isKnown = await this.#context.files.use(this.path, 'read', (file) => this.#survey(file));
    if (!isKnown) return undefined;
    const records = await this.#readRecords();
    this.#recordBytes = records.length;
    for (const { from, to } of readAcknowledgements(this.id, records)) this.#released.add(from, to);
    return this.waiting(0, this.end);
  }

  /** The events from `from` (inclusive) to `to` (exclusive) that are not released. */
  waiting(from: number, to: number): Run[] {
    const runs: Run[] = [];
    this.#released.forEachGap(from, to, (gapFrom, gapTo) => runs.push({ from: gapFrom, to: gapTo }));
    return runs;
  }

  /** Remembers that the frame of event `index` is at `offset`. */
  mark(index: number, offset: number): void {
    this.#reader.mark(index, offset);
  }

  /** Reads intact, consecutive events from the start of a range. They are valid until the next read. */
  async read(range: Range, limit: Limit): Promise<Reading> {
    try {
      return await this.#context.files.use(this.path, 'read', (file) => this.#read(file, range, limit));
    } catch (error) {
      // Somebody deleted the file. It will not come back, and other events wait behind these.
      if (errorCode(error) === 'ENOENT') return { events: NO_EVENTS, range };
      throw error;
    }
  }

  /** Records that events are released. Records made during a write, or in one turn of the event loop, are written together. */
  acknowledge(from: number, to: number): Promise<void> {
    this.#released.add(from, to);
    if (this.isDone) return Promise.resolve();
    this.#records.push(acknowledgementRecord(this.id, from, to));
    this.#noting ??= Promise.all([this.#noted, this.#context.fs.endOfTurn?.()]).then(() => {
      this.#noting = undefined;
      const noting = this.#note(Buffer.concat(this.#records.splice(0)));
      this.#noted = noting.catch(() => undefined);
      return noting;
    });
    return this.#noting;
  }

  /** Deletes its files. If it had damage, renames the `.segment` file to `.damaged` instead, for a person to look at. */
  async delete(): Promise<void> {
    const { fs, files } = this.#context;
    const acknowledgements = this.#pathOf(ACKNOWLEDGEMENTS_SUFFIX);
    await this.#noting?.catch(() => undefined);
    await this.#noted;
    await files.close(this.path);
    try {
      if (!this.#findings?.damaged) await fs.remove(this.path);
      else await fs.rename(this.path, this.#pathOf(DAMAGED_SUFFIX));
    } catch (error) {
      // The file stays. If all events are released, record that: the next process must find nothing to deliver. If not,
      // record nothing: it must find the waiting events.
      if (this.isReleased)
        await this.#note(acknowledgementRecord(this.id, 0, this.end)).catch(() => undefined);
      throw error;
    }
    await files.close(acknowledgements);
    // Without its segment the file means nothing. If it stays, the next process removes it.
    await fs.remove(acknowledgements).catch(() => undefined);
  }

  /** Finds out what is in the file. Returns false for another version. */
  async #survey(file: OpenFile): Promise<boolean> {
    this.#size = (await file.stat()).size;
    const header = readHeader(await readPart(file, 0, Math.min(this.size, SEGMENT_HEADER_BYTES)));
    if (header === 'other version') return false;
    if (header === 'empty') return true;
    if (header !== 'damaged') {
      this.begin(header);
      if (this.size === SEGMENT_HEADER_BYTES) return true;
      const last = await this.#lastIndex(file);
      this.end = (last ?? -1) + 1;
      if (last !== undefined) return true;
    }
    await this.#scan(file);
    return true;
  }

  /** The index of the last event; undefined if the end of the file is damaged. */
  async #lastIndex(file: OpenFile): Promise<number | undefined> {
    for (let length = TAIL_BYTES; ; length *= TAIL_GROWTH) {
      const start = Math.max(SEGMENT_HEADER_BYTES, this.size - length);
      const reader = new FrameReader(await readPart(file, start, this.size - start), this.id, true);
      if (reader.next()) return lastIndexIn(reader, start > SEGMENT_HEADER_BYTES);
      if (start === SEGMENT_HEADER_BYTES) return undefined;
    }
  }

  /** Scans a damaged file completely. Marks events that are missing in it as released, so that nobody waits for them. */
  async #scan(file: OpenFile): Promise<void> {
    const bytes = await readPart(file, 0, this.size);
    const header = readHeader(bytes.subarray(0, SEGMENT_HEADER_BYTES));
    if (typeof header === 'string') this.id = findId(bytes) ?? 0;
    const start = typeof header === 'string' ? 0 : SEGMENT_HEADER_BYTES;
    const { runs, damaged } = findIntactRuns(bytes, this.id, start);
    // All zero: what a power cut leaves of a file that was never synced.
    if (runs.length === 0 && bytes.every((byte) => byte === 0)) return;
    const known = this.#findings?.damaged ?? 0;
    this.#findings = { runs, damaged, size: bytes.length };
    this.end = Math.max(this.end, runs.at(-1)?.to ?? 0);
    let at = 0;
    for (const { from, to } of [...runs, { from: this.end, to: this.end }]) {
      this.#released.add(at, from);
      at = to;
    }
    if (damaged > known) this.#context.onDamaged(this.path, damaged - known);
  }

  async #read(file: OpenFile, range: Range, limit: Limit): Promise<Reading> {
    if (this.#findings === undefined) {
      const reading = await this.#reader.read(file, range, limit);
      if (reading !== undefined) return reading;
    }
    if (this.#findings?.size !== this.size) await this.#scan(file);
    const run = this.#findings && runBehind(this.#findings.runs, range.from);
    const gapEnd = Math.min(run?.from ?? range.to, range.to);
    if (run === undefined || gapEnd > range.from)
      return { events: NO_EVENTS, range: { ...range, to: gapEnd } };
    const intact = { ...range, to: Math.min(run.to, range.to) };
    return (
      (await this.#reader.readAt(file, run.offset, intact, limit)) ?? { events: NO_EVENTS, range: intact }
    );
  }

  async #note(records: Buffer): Promise<void> {
    this.#recordBytes += records.length;
    this.onGrowth(records.length);
    // If a record is incomplete, the reader skips it, and there may be a duplicate.
    await this.#context.files.use(this.#pathOf(ACKNOWLEDGEMENTS_SUFFIX), 'append', (file) =>
      writeAll(file, records, 0),
    );
  }

  async #readRecords(): Promise<Buffer> {
    try {
      const file = await this.#context.fs.openToRead(this.#pathOf(ACKNOWLEDGEMENTS_SUFFIX));
      try {
        return await readPart(file, 0, (await file.stat()).size);
      } finally {
        await file.close();
      }
    } catch (error) {
      const code = errorCode(error) ?? '';
      if (!NEVER_READABLE.has(code)) throw error;
      if (code !== 'ENOENT') {
        this.#context.onFailed(storageError(`cannot read what was delivered of ${this.path}`, error));
      }
      return Buffer.alloc(0);
    }
  }

  #pathOf(suffix: string): string {
    return join(this.directory, this.#name + suffix);
  }
}

/** The index of the last frame, if all frames after the first one are intact and in order. */
function lastIndexIn(reader: FrameReader, startsAnywhere: boolean): number | undefined {
  // The bytes before the first frame may be the end of an earlier one.
  const before = startsAnywhere ? reader.frameStart : 0;
  let last = reader.index;
  while (reader.next()) {
    if (reader.index !== last + 1) return undefined;
    last = reader.index;
  }
  return reader.damaged === before ? last : undefined;
}

async function readPart(file: OpenFile, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length);
  return bytes.subarray(0, await file.read(bytes, position));
}
