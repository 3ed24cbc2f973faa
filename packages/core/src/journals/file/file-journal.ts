import * as nodeFs from 'node:fs';
import { basename, join } from 'node:path';
import type { Clock, Timer } from '../../clock.ts';
import { ClosedError } from '../../errors/closed-error.ts';
import { StorageError, storageError } from '../../errors/storage-error.ts';
import type { Fsync } from '../../fsync.ts';
import {
  type EventBytes,
  type Journal,
  type JournalObserver,
  type Limit,
  NO_EVENTS,
  type Range,
  type Reading,
} from '../../journal.ts';
import { removeEmptyDirectory, syncDirectory } from './directory.ts';
import type { FileSystem } from './file-system.ts';
import { ACKNOWLEDGEMENTS_SUFFIX, SEGMENT_SUFFIX, Segment } from './segment.ts';
import { SegmentWriter, writeSegmentSync } from './segment-writer.ts';
import { Slot } from './slot.ts';

export interface FileJournalOptions {
  /** The journal directory, shared by all processes that deliver to one account. Made where it is missing. */
  readonly directory: string;
  readonly fsync: Fsync;
  readonly clock: Clock;
  /** A segment that has reached this size is followed by a new one, in bytes. Default: 8 MiB. */
  readonly segmentBytes?: number;
  readonly fs?: FileSystem;
}

/** One write: large enough to be worth a system call, small enough not to hold up the next. */
const GROUP_LIMIT: Limit = { maxEvents: 4096, maxBytes: 512 * 1024 };
const SEGMENT_BYTES = 8 * 1024 * 1024;
const SYNC_INTERVAL_MS = 100;
const SYNC_BYTES = 1024 * 1024;

/** The append-only journal on files: see FORMAT.md for what is in them. */
export class FileJournal implements Journal {
  readonly kind = 'file';
  readonly survives = true;
  readonly groupLimit: Limit = GROUP_LIMIT;
  readonly #directory: string;
  readonly #fsync: Fsync;
  readonly #clock: Clock;
  readonly #segmentBytes: number;
  readonly #fs: FileSystem;
  readonly #segments = new Map<number, Segment>();
  #slot: Promise<Slot> | undefined;
  /** The slot, once it is claimed: for the last moment, in which nothing can be awaited. */
  #claimed: Slot | undefined;
  #observer: JournalObserver | undefined;
  #opening: Promise<void> = Promise.resolve();
  #writer: SegmentWriter | undefined;
  #lastSegment = 0;
  #syncTimer: Timer | undefined;
  #syncing: Promise<void> | undefined;
  #closed = false;

  constructor({ directory, fsync, clock, segmentBytes = SEGMENT_BYTES, fs = nodeFs }: FileJournalOptions) {
    this.#directory = directory;
    this.#fsync = fsync;
    this.#clock = clock;
    this.#segmentBytes = segmentBytes;
    this.#fs = fs;
  }

  get bytes(): number {
    let bytes = 0;
    for (const segment of this.#segments.values()) bytes += segment.size;
    return bytes;
  }

  async open(observer: JournalObserver): Promise<void> {
    this.#observer = observer;
    this.#opening = this.#adopt(observer);
    try {
      await this.#opening;
    } catch (cause) {
      throw storageError(`cannot open the journal in ${this.#directory}`, cause);
    }
  }

  async append(events: EventBytes): Promise<Range> {
    if (this.#closed) throw new ClosedError('append() was called after close()');
    try {
      return await this.#append(events);
    } catch {
      // What failed once is not trusted with the same events again: they go to a new file.
      await this.#seal();
    }
    try {
      return await this.#append(events);
    } catch (cause) {
      await this.#seal();
      throw storageError(`cannot write ${events.ends.length} events to ${this.#directory}`, cause);
    }
  }

  appendSync(events: EventBytes): Range {
    if (this.#writer !== undefined) {
      const from = this.#writer.appendSync(events);
      return { segment: this.#writer.segment.number, from, to: from + events.ends.length };
    }
    this.#lastSegment += 1;
    const name = segmentName(this.#lastSegment) + SEGMENT_SUFFIX;
    const write = (directory: string) => writeSegmentSync(this.#fs, join(directory, name), events);
    if (this.#claimed === undefined) Slot.leaveSync(this.#directory, this.#fs, write);
    else write(this.#claimed.directory);
    return { segment: this.#lastSegment, from: 0, to: events.ends.length };
  }

  async read(range: Range, limit: Limit): Promise<Reading> {
    const segment = this.#segments.get(range.segment);
    if (segment === undefined) return { events: NO_EVENTS, range };
    try {
      return await segment.read(range, limit);
    } catch (cause) {
      throw storageError(`cannot read ${segment.path}`, cause);
    }
  }

  async acknowledge(range: Range): Promise<void> {
    const segment = this.#segments.get(range.segment);
    if (segment === undefined) return;
    try {
      await segment.acknowledge(range.from, range.to);
      if (segment.isDone) await this.#delete(segment);
    } catch (cause) {
      throw storageError(`cannot note in ${segment.directory} what was delivered`, cause);
    }
  }

  async sync(): Promise<void> {
    this.#syncTimer?.cancel();
    this.#syncTimer = undefined;
    // Behind one that is under way: that may not cover what was written since it began.
    const before = this.#syncing?.catch(() => undefined);
    const syncing = (async () => {
      await before;
      await this.#writer?.sync();
    })();
    this.#syncing = syncing;
    try {
      await syncing;
    } finally {
      if (this.#syncing === syncing) this.#syncing = undefined;
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    // Whoever comes next is to find everything in its place.
    await this.#opening.catch(() => undefined);
    await this.#seal();
    const slot = await this.#slot?.catch(() => undefined);
    if (slot === undefined) return;
    await removeEmptyDirectory(this.#fs, slot.directory);
    await slot.release();
  }

  async #adopt(observer: JournalObserver): Promise<void> {
    const slot = await this.#claim();
    for (const directory of await slot.adopt()) {
      try {
        await this.#recover(directory, observer);
      } catch (cause) {
        observer.failed(storageError(`cannot read ${directory}; it is left where it is`, cause));
      }
    }
  }

  #claim(): Promise<Slot> {
    this.#slot ??= Slot.claim(this.#directory, this.#fs).then(
      (slot) => {
        this.#claimed = slot;
        return slot;
      },
      (error) => {
        // Tried again by the next append.
        this.#slot = undefined;
        throw error;
      },
    );
    return this.#slot;
  }

  async #append(events: EventBytes): Promise<Range> {
    const writer = await this.#currentWriter();
    const from = await writer.append(events, this.#fsync === 'always');
    if (this.#fsync === 'interval') this.#scheduleSync(writer);
    return { segment: writer.segment.number, from, to: from + events.ends.length };
  }

  async #currentWriter(): Promise<SegmentWriter> {
    if (this.#writer !== undefined && this.#writer.segment.size >= this.#segmentBytes) await this.#seal();
    if (this.#writer === undefined) {
      const { directory } = await this.#claim();
      this.#lastSegment += 1;
      const name = segmentName(this.#lastSegment);
      const segment = new Segment(this.#fs, this.#lastSegment, directory, name);
      this.#writer = await SegmentWriter.create(this.#fs, segment);
      this.#segments.set(segment.number, segment);
      if (this.#fsync !== 'never') await syncDirectory(this.#fs, directory);
    }
    return this.#writer;
  }

  /** Ends the current segment: it is read and released from now on, never written. */
  async #seal(): Promise<void> {
    const writer = this.#writer;
    if (writer === undefined) return;
    this.#syncTimer?.cancel();
    this.#syncTimer = undefined;
    this.#writer = undefined;
    try {
      if (this.#fsync !== 'never') await writer.sync();
    } catch (error) {
      this.#observer?.failed(storageError(`cannot sync ${writer.segment.path}`, error));
    }
    await writer.close().catch(() => undefined);
    if (writer.segment.isDone) await this.#delete(writer.segment);
  }

  #scheduleSync(writer: SegmentWriter): void {
    const sync = () => {
      this.sync().catch(async (error) => {
        this.#observer?.failed(storageError(`cannot sync ${writer.segment.path}`, error));
        if (this.#writer === writer) await this.#seal();
      });
    };
    if (writer.unsynced >= SYNC_BYTES && this.#syncing === undefined) sync();
    else this.#syncTimer ??= this.#clock.setTimeout(sync, SYNC_INTERVAL_MS);
  }

  async #recover(directory: string, observer: JournalObserver): Promise<void> {
    const entries = await this.#fs.promises.readdir(directory, { withFileTypes: true });
    const names = entries.flatMap((entry) => (entry.isFile() ? [entry.name] : [])).sort();
    for (const name of names.filter((name) => name.endsWith(SEGMENT_SUFFIX))) {
      if (this.#closed) return;
      this.#lastSegment += 1;
      const segment = new Segment(this.#fs, this.#lastSegment, directory, basename(name, SEGMENT_SUFFIX));
      try {
        await this.#recoverSegment(segment, observer);
      } catch (cause) {
        observer.failed(storageError(`cannot read ${segment.path}; it is left where it is`, cause));
      }
    }
    // What remains of a segment whose deletion was cut off.
    for (const name of names.filter((name) => name.endsWith(ACKNOWLEDGEMENTS_SUFFIX))) {
      const segment = basename(name, ACKNOWLEDGEMENTS_SUFFIX) + SEGMENT_SUFFIX;
      if (!names.includes(segment)) await this.#fs.promises.rm(join(directory, name), { force: true });
    }
    await removeEmptyDirectory(this.#fs, directory);
  }

  async #recoverSegment(segment: Segment, observer: JournalObserver): Promise<void> {
    const { readable, damaged, waiting } = await segment.survey();
    if (!readable) {
      const reason = 'it was written by another version of Sluice';
      observer.failed(new StorageError(`${segment.path} is left where it is: ${reason}`));
      return;
    }
    if (damaged > 0) observer.damaged(segment.path, damaged);
    this.#segments.set(segment.number, segment);
    for (const { from, to } of waiting) observer.recovered({ segment: segment.number, from, to });
    if (segment.isDone) await this.#delete(segment);
  }

  async #delete(segment: Segment): Promise<void> {
    // Two releases that overlap both find it done.
    if (!this.#segments.delete(segment.number)) return;
    await segment.delete();
    // An adopted directory is done with its last segment; the slot's own only when the slot is given back.
    if (segment.directory !== this.#claimed?.directory)
      await removeEmptyDirectory(this.#fs, segment.directory);
  }
}

/** Segments of one process sort by name in the order in which they were written. */
function segmentName(number: number): string {
  return String(number).padStart(8, '0');
}
