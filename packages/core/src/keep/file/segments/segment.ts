import { join } from 'node:path';
import { storageError } from '../../../base/errors/storage-error.ts';
import { type Limit, NO_EVENTS } from '../../../base/event-bytes.ts';
import type { Range, Span } from '../../../base/range.ts';
import { Turns } from '../../../base/turns.ts';
import type { Reading } from '../../journal.ts';
import type { DamagedFiles } from '../damaged-files.ts';
import { errorCode, type FileSystem, type OpenFile } from '../disk/file-system.ts';
import { writeAll } from '../disk/write-all.ts';
import { FrameReader } from '../format/frame.ts';
import type { IntactRun } from '../format/intact-runs.ts';
import { Released } from '../format/released.ts';
import { readHeader, SEGMENT_HEADER_BYTES, type SegmentHeader } from '../format/segment-header.ts';
import { ACKNOWLEDGEMENTS_SUFFIX, SEGMENT_SUFFIX } from '../format/suffixes.ts';
import type { OpenFiles } from './open-files.ts';
import type { ReadingBuffer } from './reading-buffer.ts';
import { findEnd, inParts, readPart, scanFile } from './scan.ts';
import { SegmentReader } from './segment-reader.ts';

/**
 * Error codes that mean: this is no `.acks` file of ours, and will not become one. Without its records there are duplicates,
 * but no lost events.
 */
const NEVER_READABLE: ReadonlySet<string> = new Set([
  'ENOENT',
  'ELOOP',
  'EISDIR',
  'ENXIO',
  'ENOTDIR',
  'EACCES',
  'EPERM',
  'EINVAL',
]);

/** So many missing events are told of in one turn of the event loop. */
const MOST_TOLD = 32;

/** What all segments of a journal share. */
export interface SegmentContext {
  readonly fs: FileSystem;
  readonly damaged: Pick<DamagedFiles, 'setAside'>;
  readonly files: OpenFiles;
  readonly readingBuffer: ReadingBuffer;
  /** Called when bytes are found that are not intact events. */
  readonly onDamaged: (path: string, bytes: number) => void;
  readonly onFailed: (error: Error) => void;
  /** Called when events are missing that are not released. */
  readonly onMissing: (segment: Segment, missing: Span) => void;
  /** Called when the file of these events is gone. */
  readonly onVanished: (range: Range) => void;
}

/**
 * A segment is two files (FORMAT.md): `<name>.segment` with a header and frames, and `<name>.acks` with the released ranges.
 * This class reads and releases; SegmentWriter appends.
 */
export class Segment {
  /** Its number in ranges. */
  readonly number: number;
  readonly directory: string;
  /** The path of the `.segment` file. */
  readonly path: string;
  readonly #context: SegmentContext;
  /** The path of both files, without the suffix. */
  readonly #stem: string;
  #reader: SegmentReader;
  readonly #released = new Released();
  /** Records that wait for the next write, and that write. Writes run one after the other. */
  readonly #records: Buffer[] = [];
  #noting: Promise<void> | undefined;
  readonly #notes = new Turns();
  /** Number of bytes that are no intact events, as far as that is known. */
  #damaged = 0;
  /** The run in pieces of which it was told last which events are missing. */
  #told: IntactRun | undefined;
  #missed = 0;
  /** The id that its frames carry. */
  id = 0;
  /** The time that ages count from, in milliseconds since 1970; NaN if unknown. */
  baseTime: number = Number.NaN;
  /** The index after its last event. */
  end = 0;
  /** The index after the last event that is written. It may not count yet: its append waits for a sync. */
  written = 0;
  /** Confirmed bytes of the `.segment` file. */
  size: number = SEGMENT_HEADER_BYTES;
  /** Bytes of the `.acks` file. */
  #recordBytes = 0;
  /** Called with the number of bytes by which its files grew. */
  onGrowth: (bytes: number) => void = () => {};
  /** Whether no more events will be appended. */
  sealed = false;

  constructor(context: SegmentContext, number: number, directory: string, name: string) {
    this.#context = context;
    this.number = number;
    this.directory = directory;
    this.#stem = join(directory, name);
    this.path = this.#stem + SEGMENT_SUFFIX;
    this.#reader = new SegmentReader(this, context.readingBuffer);
  }

  /** Bytes of both files. */
  get bytes(): number {
    return this.size + this.#recordBytes;
  }

  /** The writer added events: the new `end`, and the size of their frames. */
  grow(end: number, bytes: number): void {
    this.#reader.mark(this.end, this.size);
    this.end = end;
    this.size += bytes;
    this.onGrowth(bytes);
  }

  /** Whether all its events are released. */
  get isReleased(): boolean {
    return this.#released.covers(Math.max(this.end, this.written));
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
  async recover(): Promise<readonly Span[] | undefined> {
    this.sealed = true;
    const isKnown = await this.#context.files.use(this.path, 'read', (file) => this.#survey(file));
    if (!isKnown) return undefined;
    await this.#readRecords();
    return this.waiting(0, this.end);
  }

  /** Somebody put a shorter file in its place. Finds out which of its events that has. */
  async shrink(): Promise<void> {
    const { size } = this;
    this.end = 0;
    this.#reader = new SegmentReader(this, this.#context.readingBuffer);
    await this.#context.files.close(this.path);
    await this.#context.files.use(this.path, 'read', (file) => this.#survey(file));
    this.written = this.end;
    this.onGrowth(this.size - size);
  }

  /** The events from `from` (inclusive) to `to` (exclusive) that are not released. */
  waiting(from: number, to: number): Span[] {
    return this.#released.gaps(from, to);
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
    this.#records.push(Released.record(this.id, from, to));
    this.#noting ??= this.#notes.take(async () => {
      await this.#context.fs.endOfTurn?.();
      this.#noting = undefined;
      await this.#note(Buffer.concat(this.#records.splice(0)));
    });
    return this.#noting;
  }

  /** Deletes its files. If it had damage, sets the `.segment` file aside instead, for a person to look at. */
  delete(): Promise<void> {
    const { damaged, fs, files } = this.#context;
    return this.#notes.take(async () => {
      await files.close(this.path);
      try {
        if (this.#damaged === 0) await fs.remove(this.path);
        else await damaged.setAside(this.path);
      } catch (error) {
        // The file stays. If all events are released, record that: the next process must find nothing to deliver. If not,
        // record nothing: it must find the waiting events.
        if (this.isReleased) await this.#note(Released.record(this.id, 0, this.end)).catch(() => undefined);
        throw error;
      } finally {
        await files.close(this.#acknowledgements);
      }
      // Without its segment the file means nothing. If it stays, the next process removes it.
      await fs.remove(this.#acknowledgements).catch(() => undefined);
    });
  }

  get #acknowledgements(): string {
    return this.#stem + ACKNOWLEDGEMENTS_SUFFIX;
  }

  /** Finds out what is in the file. Returns false for another version. */
  async #survey(file: OpenFile): Promise<boolean> {
    this.size = (await file.stat()).size;
    const header = readHeader(await readPart(file, 0, Math.min(this.size, SEGMENT_HEADER_BYTES)));
    if (header === 'other version') return false;
    if (header === 'empty') return true;
    if (header !== 'damaged') this.begin(header);
    const { end, isIntact } =
      header === 'damaged' ? { end: this.end, isIntact: false } : await findEnd(file, this);
    this.end = end;
    if (!isIntact) await this.#scan(file, header === 'damaged' ? undefined : this.id);
    return true;
  }

  /** Scans a damaged file completely. Tells which events are missing in it. */
  async #scan(file: OpenFile, knownId: number | undefined): Promise<void> {
    const { id, runs, damaged, isBlank } = await scanFile(file, this.size, knownId);
    this.id = id;
    this.#reader.setRuns(runs);
    if (runs.length === 0 && isBlank) return;
    this.end = Math.max(this.end, runs.at(-1)?.to ?? 0);
    let at = 0;
    for (const { from, to } of [...runs, { from: this.end, to: this.end }]) {
      await this.#miss(at, from);
      at = to;
    }
    if (damaged > this.#damaged) this.#context.onDamaged(this.path, damaged - this.#damaged);
    this.#damaged = damaged;
  }

  async #read(file: OpenFile, range: Range, limit: Limit): Promise<Reading> {
    await this.#tellOfPieces(file, range.from);
    const reading = await this.#reader.read(file, range, limit);
    if (reading !== undefined) return reading;
    await this.#scan(file, this.id);
    await this.#tellOfPieces(file, range.from);
    return (await this.#reader.read(file, range, limit)) ?? { events: NO_EVENTS, range };
  }

  /** If an event lies in a run in pieces, tells which events are missing in that. What waits then is sent in full batches. */
  async #tellOfPieces(file: OpenFile, index: number): Promise<void> {
    const run = this.#reader.piecesAt(index);
    if (run?.end === undefined || run === this.#told) return;
    this.#told = run;
    let at = run.from;
    await inParts(file, run.offset, run.end, async (bytes, _at, rest) => {
      const reader = new FrameReader(bytes, this.id, rest);
      for (; reader.next(); at = reader.index + 1) await this.#miss(at, reader.index);
      return reader.offset;
    });
  }

  /** Events are missing: nobody need wait for them. */
  async #miss(from: number, to: number): Promise<void> {
    for (const missing of this.waiting(from, to)) {
      this.#context.onMissing(this, missing);
      if (++this.#missed % MOST_TOLD === 0) await this.#context.fs.endOfTurn?.();
    }
    this.#released.add(from, to);
  }

  async #note(records: Buffer): Promise<void> {
    this.#recordBytes += records.length;
    this.onGrowth(records.length);
    // If a record is incomplete, the reader skips it, and there may be a duplicate.
    await this.#context.files.use(this.#acknowledgements, 'append', (file) => writeAll(file, records, 0));
  }

  async #readRecords(): Promise<void> {
    const { files, onFailed } = this.#context;
    const path = this.#acknowledgements;
    try {
      await files.use(path, 'read', async (file) => {
        this.#recordBytes = (await file.stat()).size;
        await inParts(file, 0, this.#recordBytes, (bytes) =>
          this.#released.addRecords(this.id, this.end, bytes),
        );
      });
      // The next use appends to it.
      await files.close(path);
    } catch (error) {
      const code = errorCode(error) ?? '';
      if (!NEVER_READABLE.has(code)) throw error;
      if (code !== 'ENOENT') onFailed(storageError(`cannot read what was delivered of ${this.path}`, error));
    }
  }
}
