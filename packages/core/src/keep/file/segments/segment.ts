import { join } from 'node:path';
import { storageError } from '../../../base/errors/storage-error.ts';
import { type Limit, NO_EVENTS } from '../../../base/event-bytes.ts';
import type { Range, Span } from '../../../base/range.ts';
import { Turns } from '../../../base/turns.ts';
import type { JournalObserver, Reading } from '../../journal.ts';
import type { DamagedFiles } from '../damaged-files.ts';
import { errorCode, type OpenFile } from '../disk/file-system.ts';
import { FrameReader, type WrittenGroup } from '../format/frame.ts';
import { Released } from '../format/released.ts';
import { ACKNOWLEDGEMENTS_SUFFIX, SEGMENT_SUFFIX, SegmentHeader } from '../format/segment-header.ts';
import type { Site } from '../site.ts';
import type { OpenFiles } from './open-files.ts';
import { ReleaseRecords } from './release-records.ts';
import { findEnd, inParts, scanFile } from './scan.ts';
import { readGroups, SegmentReader } from './segment-reader.ts';

/** At most this many missing events are reported in one turn of the event loop. */
const MOST_TOLD = 32;

/** What all segments of a journal share. */
interface SegmentContext {
  readonly site: Pick<Site, 'fs'> & {
    readonly observer: Pick<JournalObserver, 'damaged' | 'failed'> | undefined;
  };
  readonly files: OpenFiles;
  /** Absent if the segments are only read. */
  readonly damaged?: DamagedFiles;
  readonly onMissing: (segment: Segment, missing: Span) => void;
}

/**
 * A segment is two files (FORMAT.md): `<name>.segment` with a header and frames, and `<name>.acks` with the released ranges.
 * This class reads and releases; SegmentWriter appends.
 */
export class Segment {
  readonly number: number;
  readonly directory: string;
  readonly path: string;
  readonly #context: SegmentContext;
  #reader: SegmentReader;
  readonly #released = new Released();
  readonly #records: ReleaseRecords;
  /** The write that records what is released. Writes run one after the other. */
  #recording: Promise<void> | undefined;
  readonly #turns = new Turns();
  /** Number of bytes that are no intact events, as far as that is known. */
  #damaged = 0;
  #missed = 0;
  id = 0;
  /** The time that ages count from, in milliseconds since 1970; NaN if unknown. */
  baseTime: number = Number.NaN;
  /** The first index that is looked for in this file: more than 0 if another file of this number has the events before it. */
  from = 0;
  end = 0;
  /** The index after the last event that is written. It may not count yet: its append waits for a sync. */
  written = 0;
  /** Confirmed bytes of the `.segment` file. */
  size: number = SegmentHeader.BYTES;
  /** Its last events, if their sync failed: the disk may have lost them. They stay here until another file has them. */
  unsaved: readonly WrittenGroup[] = [];
  onGrowth: (bytes: number) => void = () => {};
  /** Whether no more events will be appended. */
  sealed = false;
  /** Whether its files are being deleted, or are. */
  isGoing = false;

  constructor(context: SegmentContext, number: number, directory: string, name: string) {
    this.#context = context;
    this.number = number;
    this.directory = directory;
    this.path = join(directory, name + SEGMENT_SUFFIX);
    this.#records = new ReleaseRecords(join(directory, name + ACKNOWLEDGEMENTS_SUFFIX), context.files);
    this.#reader = new SegmentReader(this, context.files.memory);
  }

  get bytes(): number {
    return this.size + this.#records.bytes;
  }

  get isReleased(): boolean {
    return this.#released.covers(Math.max(this.end, this.written));
  }

  /** Whether all its events are released and no more can come. */
  get isDone(): boolean {
    return this.sealed && this.isReleased;
  }

  begin({ first, baseTime, id }: SegmentHeader): void {
    this.id = id;
    this.baseTime = baseTime;
    this.from = first;
    this.end = first;
    this.written = first;
    // Earlier indexes do not belong to this file.
    this.#released.add(0, first);
  }

  /** The writer added events: the new `end`, and the size of their frames. */
  grow(end: number, bytes: number): void {
    this.#reader.mark(this.end, this.size);
    this.end = end;
    this.size += bytes;
    this.onGrowth(bytes);
  }

  /**
   * Takes over a segment of a previous process. Returns its events that are not released; undefined if this code does not
   * know its version. Reads only the start and the end: damage between them is found when it is read.
   */
  async recover(): Promise<readonly Span[] | undefined> {
    this.sealed = true;
    if (!(await this.#survey())) return undefined;
    await this.#records.read(this, this.#released, this.#context.site.observer);
    return this.waiting(0, this.end);
  }

  /** Somebody put a shorter file in its place. Finds out which of its events that has. */
  async shrink(): Promise<void> {
    const { size } = this;
    this.end = 0;
    this.#reader = new SegmentReader(this, this.#context.files.memory);
    await this.#context.files.close(this.path);
    await this.#survey();
    this.written = this.end;
    this.onGrowth(this.size - size);
  }

  /** The events from `from` (inclusive) to `to` (exclusive) that are not released. */
  waiting(from: number, to: number): Span[] {
    return this.#released.gaps(from, to);
  }

  /** Reads intact, consecutive events from the start of a range. They are valid until the next read. */
  async read(range: Range, limit: Limit): Promise<Reading> {
    const [first] = this.unsaved;
    if (first && first.from <= range.from) return readGroups(this.unsaved, range, limit, this);
    try {
      return await this.#context.files.use(this.path, 'read', (file) => this.#read(file, range, limit));
    } catch (error) {
      // Somebody deleted the file. It will not come back, and other events wait behind these.
      if (errorCode(error) === 'ENOENT') return { events: NO_EVENTS, range };
      throw storageError(`cannot read ${this.path}`, error);
    }
  }

  /** Records that events are released. What is released during a write, or in one turn of the event loop, is recorded together. */
  acknowledge(from: number, to: number): Promise<void> {
    this.#released.add(from, to);
    if (this.isDone) return Promise.resolve();
    this.#records.add(from, to);
    // If the deletion fails, it records them.
    if (this.isGoing) return Promise.resolve();
    return this.record();
  }

  /** Records what is released and is not recorded yet, or could not be. */
  record(): Promise<void> {
    this.#recording ??= this.#turns.take(async () => {
      await this.#context.site.fs.endOfTurn?.();
      this.#recording = undefined;
      try {
        await this.#record();
      } catch (cause) {
        throw storageError(`cannot note in ${this.directory} what was delivered`, cause);
      }
    });
    return this.#recording;
  }

  /** Deletes its files. If it had damage, sets the `.segment` file aside instead, for a person to look at. */
  delete(): Promise<void> {
    const { damaged, site, files } = this.#context;
    this.isGoing = true;
    return this.#turns.take(async () => {
      await files.close(this.path);
      try {
        if (this.#damaged === 0) await site.fs.remove(this.path);
        else await damaged?.setAside(this.path);
      } catch (error) {
        this.isGoing = false;
        // The file stays: the next process must find what waits in it. If all is released, also what does not count yet is.
        if (this.isReleased) this.#records.add(0, Math.max(this.end, this.written));
        await this.#record().catch(() => undefined);
        throw error;
      } finally {
        await files.close(this.#records.path);
      }
      // Without its segment the file means nothing. If it stays, the next process removes it.
      await site.fs.remove(this.#records.path).catch(() => undefined);
    });
  }

  /** Finds out what is in the file. Returns false for another version. */
  #survey(): Promise<boolean> {
    return this.#context.files.use(this.path, 'read', async (file) => {
      this.size = (await file.stat()).size;
      const header = await SegmentHeader.read(file, this.size);
      if (header === 'other version') return false;
      if (header === 'empty') return true;
      if (header === 'damaged') {
        await this.#scan(file, undefined);
      } else {
        this.begin(header);
        const { end, isIntact } = await findEnd(file, this);
        this.end = end;
        if (!isIntact) await this.#scan(file, this.id);
      }
      return true;
    });
  }

  /** Scans a damaged file completely. Tells which events are missing in it. */
  async #scan(file: OpenFile, knownId: number | undefined): Promise<void> {
    // The scan says nothing about what is appended meanwhile.
    const { end, size } = this;
    const { id, runs, damaged, isBlank } = await scanFile(file, size, knownId);
    this.id = id;
    this.#reader.setRuns(runs);
    if (runs.length === 0 && isBlank) return;
    const last = Math.max(end, runs.at(-1)?.to ?? 0);
    this.end = Math.max(this.end, last);
    let at = 0;
    for (const { from, to } of [...runs, { from: last, to: last }]) {
      await this.#miss(at, from);
      at = to;
    }
    const more = damaged - this.#damaged;
    if (more > 0) this.#context.site.observer?.damaged(this.path, more);
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

  /** If an event lies in a run in pieces, reports the events that are missing in it. The others are then sent in full batches. */
  async #tellOfPieces(file: OpenFile, index: number): Promise<void> {
    const run = this.#reader.newPiecesAt(index);
    if (run?.end === undefined) return;
    let at = run.from;
    await inParts(file, run.offset, run.end, async (bytes, _at, rest) => {
      const reader = new FrameReader(bytes, this.id, rest);
      for (; reader.next(); at = reader.index + 1) if (reader.index > at) await this.#miss(at, reader.index);
      return reader.offset;
    });
  }

  /** Events are missing in the file. Nobody needs to wait for them, unless they are in memory. */
  async #miss(from: number, end: number): Promise<void> {
    const to = Math.min(end, this.unsaved[0]?.from ?? end);
    for (const missing of this.waiting(from, to)) {
      this.#context.onMissing(this, missing);
      if (++this.#missed % MOST_TOLD === 0) await this.#context.site.fs.endOfTurn?.();
    }
    this.#released.add(from, to);
  }

  async #record(): Promise<void> {
    this.onGrowth(await this.#records.write(this.id));
  }
}
