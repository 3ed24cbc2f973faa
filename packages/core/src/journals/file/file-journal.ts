import { join } from 'node:path';
import type { Clock, Timer } from '../../clock.ts';
import { ClosedError } from '../../errors/closed-error.ts';
import { storageError } from '../../errors/storage-error.ts';
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
import { errorCode, type FileSystem, type Volume } from './file-system.ts';
import { FrameBuffers } from './frame-buffers.ts';
import type { Locks } from './locks.ts';
import { nodeFileSystem } from './node-file-system.ts';
import { OpenFiles } from './open-files.ts';
import { ReadingBuffer } from './reading-buffer.ts';
import { recoverDirectory } from './recovery.ts';
import { Salvage } from './salvage.ts';
import { SEGMENT_SUFFIX, Segment, type SegmentContext } from './segment.ts';
import type { SegmentHeader } from './segment-header.ts';
import { SegmentWriter, type WrittenGroup, writeSegmentSync } from './segment-writer.ts';
import { Slot } from './slot.ts';
import { socketLocks } from './socket-locks.ts';

export interface FileJournalOptions {
  /** The journal directory, shared by all processes that deliver to one account. Made where it is missing. */
  readonly directory: string;
  readonly fsync: Fsync;
  readonly clock: Clock;
  /** A segment that has reached this size is followed by a new one, in bytes. Default: 8 MiB. */
  readonly segmentBytes?: number;
  /** What the journal will be kept within, in bytes: its segments are a small part of that. Default: no bound. */
  readonly maxBytes?: number;
  /** The disk. Default: this machine's. */
  readonly fs?: FileSystem;
  /** How processes tell who is alive. Default: Unix sockets. */
  readonly locks?: Locks;
}

interface Written {
  readonly writer: SegmentWriter;
  readonly group: WrittenGroup;
}

/** One write: large enough to be worth a system call, small enough not to hold up the next. */
const GROUP_LIMIT: Limit = { maxEvents: 4096, maxBytes: 512 * 1024 };
const SEGMENT_BYTES = 8 * 1024 * 1024;
/** Space is made by whole segments: so many must fit in. */
const LEAST_SEGMENTS = 8;
/** A segment that is used for so long is followed by a new one, so that what is delivered leaves the disk. */
const SEGMENT_AGE_MS = 60 * 60_000;
const SYNC_INTERVAL_MS = 100;
const SYNC_BYTES = 1024 * 1024;
const ADOPTION_INTERVAL_MS = 30_000;
const MOST_OPEN_FILES = 8;

/** The append-only journal on files: see FORMAT.md for what is in them. */
export class FileJournal implements Journal {
  readonly kind = 'file';
  readonly survives = true;
  readonly groupLimit: Limit;
  readonly #directory: string;
  readonly #fsync: Fsync;
  readonly #clock: Clock;
  readonly #segmentBytes: number;
  readonly #fs: FileSystem;
  readonly #locks: Locks;
  readonly #files: OpenFiles;
  readonly #buffers = new FrameBuffers();
  readonly #context: SegmentContext;
  /** Those that hold events, by the number that ranges call them. */
  readonly #segments = new Map<number, Segment>();
  readonly #salvage: Salvage;
  #observer: JournalObserver | undefined;
  #slot: Promise<Slot> | undefined;
  /** The slot, once it is claimed: for the last moment, in which nothing can be awaited. */
  #claimed: Slot | undefined;
  #adopting: Promise<void> = Promise.resolve();
  #adoptionTimer: Timer | undefined;
  #writer: SegmentWriter | undefined;
  #lastSegment = 0;
  /** Writes, one after the other. */
  #writing: Promise<unknown> = Promise.resolve();
  /** The append that was called last. */
  #lastAppend: Promise<unknown> = Promise.resolve();
  #syncTimer: Timer | undefined;
  #closed = false;

  constructor(options: FileJournalOptions) {
    const { directory, fsync, clock, fs = nodeFileSystem, maxBytes = Number.POSITIVE_INFINITY } = options;
    const segmentBytes = Math.min(
      options.segmentBytes ?? SEGMENT_BYTES,
      Math.floor(maxBytes / LEAST_SEGMENTS),
    );
    this.#directory = directory;
    this.#fsync = fsync;
    this.#clock = clock;
    this.#segmentBytes = segmentBytes;
    this.groupLimit = { ...GROUP_LIMIT, maxBytes: Math.min(GROUP_LIMIT.maxBytes, segmentBytes) };
    this.#fs = fs;
    this.#locks = options.locks ?? socketLocks;
    this.#files = new OpenFiles(fs, MOST_OPEN_FILES);
    this.#context = {
      fs,
      files: this.#files,
      readingBuffer: new ReadingBuffer(),
      onDamaged: (path, bytes) => this.#observer?.damaged(path, bytes),
    };
    this.#salvage = new Salvage((from, groups) => this.#rewrite(from, groups));
  }

  get bytes(): number {
    let bytes = 0;
    for (const segment of this.#segments.values()) bytes += segment.size;
    return bytes;
  }

  async open(observer: JournalObserver): Promise<void> {
    this.#observer = observer;
    try {
      await this.#claim();
    } catch (cause) {
      throw storageError(`cannot open the journal in ${this.#directory}`, cause);
    }
    await this.#adopting;
  }

  append(events: EventBytes): Promise<Range> {
    if (this.#closed) return Promise.reject(new ClosedError('append() was called after close()'));
    const before = this.#lastAppend;
    let confirm = () => {};
    const appended = (async () => {
      const { writer, group } = await this.#inTurn(() => this.#write(events, before));
      confirm = () => writer.confirm(group);
      if (this.#fsync === 'always') await this.#syncOrDrop(writer);
      if (this.#fsync === 'interval') this.#scheduleSync(writer);
      return { segment: writer.segment.number, from: group.from, to: group.to };
    })();
    // Right before whoever awaits this goes on: at the last moment both must count the same events as written.
    this.#lastAppend = appended.then(
      () => confirm(),
      () => undefined,
    );
    return appended;
  }

  appendSync(events: EventBytes): Range {
    const count = events.ends.length;
    if (this.#writer !== undefined) {
      const from = this.#writer.appendSync(events);
      return { segment: this.#writer.segment.number, from, to: from + count };
    }
    this.#lastSegment += 1;
    const name = segmentName(this.#lastSegment) + SEGMENT_SUFFIX;
    const write = (directory: string) =>
      writeSegmentSync(this.#fs, join(directory, name), events, this.#fsync !== 'never');
    if (this.#claimed === undefined) Slot.leaveSync(this.#directory, this.#fs, write);
    else write(this.#claimed.directory);
    return { segment: this.#lastSegment, from: 0, to: count };
  }

  async read(range: Range, limit: Limit): Promise<Reading> {
    const kept = this.#salvage.read(range, limit);
    if (kept !== undefined) return kept;
    const part = this.#salvage.withinOne(range);
    const segment = this.#segments.get(this.#salvage.segmentOf(part));
    if (segment === undefined) return { events: NO_EVENTS, range: part };
    try {
      return await segment.read(part, limit);
    } catch (cause) {
      throw storageError(`cannot read ${segment.path}`, cause);
    }
  }

  async acknowledge(range: Range): Promise<void> {
    for (let rest = range; rest.from < rest.to; ) {
      const part = this.#salvage.withinOne(rest);
      const segment = this.#segments.get(this.#salvage.segmentOf(part));
      rest = { ...rest, from: part.to };
      if (segment === undefined) continue;
      try {
        await segment.acknowledge(part.from, part.to);
        if (segment.isDone) await this.#delete(segment);
      } catch (cause) {
        throw storageError(`cannot note in ${segment.directory} what was delivered`, cause);
      }
    }
  }

  async sync(): Promise<void> {
    if (this.#writer !== undefined) await this.#sync(this.#writer);
    if (this.#salvage.isNeeded) await this.#salvage.run();
  }

  async evictOldest(): Promise<number | undefined> {
    return this.#inTurn(async () => {
      await this.#lastAppend;
      const age = ({ baseTime }: Segment) => (Number.isNaN(baseTime) ? Number.NEGATIVE_INFINITY : baseTime);
      const [oldest] = [...this.#segments.values()].sort((a, b) => age(a) - age(b));
      if (oldest === undefined) return undefined;
      const name = this.#salvage.nameOf(oldest);
      const rest = this.#segments.get(
        this.#salvage.segmentOf({ segment: name, from: oldest.end, to: oldest.end }),
      );
      if (this.#writer?.segment === oldest) await this.#endSegment();
      await this.#salvage.drop(oldest.number);
      await this.#delete(oldest);
      if (rest !== undefined) await this.#delete(rest);
      return name;
    });
  }

  async space(): Promise<Volume> {
    return this.#fs.volume(this.#directory);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#adoptionTimer?.cancel();
    // Whoever comes next is to find everything in its place.
    await this.#adopting;
    await this.#inTurn(async () => {
      await this.#lastAppend;
      await this.#endSegment();
      if (this.#salvage.isNeeded) await this.#salvage.run();
    }).catch((error) => this.#observer?.failed(error));
    await this.#files.closeAll();
    const slot = await this.#slot?.catch(() => undefined);
    if (slot === undefined) return;
    await this.#fs.removeDirectory(slot.directory).catch(() => undefined);
    await slot.release();
  }

  #claim(): Promise<Slot> {
    this.#slot ??= Slot.claim(this.#directory, this.#fs, this.#locks, () => this.#watch()).then(
      (slot) => {
        this.#claimed = slot;
        this.#adopting = this.#adopt(slot);
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

  /** Takes over what the dead left. Never rejects. */
  async #adopt(slot: Slot): Promise<void> {
    try {
      const { adopted, hasCompany } = await slot.adopt();
      for (const directory of adopted) await this.#recover(directory);
      if (hasCompany) this.#watch();
    } catch (cause) {
      this.#observer?.failed(storageError(`cannot look for orphans in ${this.#directory}`, cause));
      this.#watch();
    }
  }

  /** Looks for orphans after a while: others live here, and may die. One that is alone needs no timer. */
  #watch(): void {
    if (this.#closed) return;
    this.#adoptionTimer ??= this.#clock.setTimeout(() => {
      this.#adoptionTimer = undefined;
      const slot = this.#claimed;
      if (slot !== undefined) this.#adopting = this.#adopting.then(() => this.#adopt(slot));
    }, ADOPTION_INTERVAL_MS);
  }

  async #recover(directory: string): Promise<void> {
    try {
      await recoverDirectory(directory, {
        fs: this.#fs,
        observer: this.#observer,
        open: (name) => (this.#closed ? undefined : this.#newSegment(directory, name)),
        take: async (segment, waiting) => {
          this.#segments.set(segment.number, segment);
          for (const run of waiting) this.#observer?.recovered({ segment: segment.number, ...run });
          if (segment.isDone) await this.#delete(segment);
        },
      });
    } catch (cause) {
      this.#observer?.failed(storageError(`cannot read ${directory}; it is left where it is`, cause));
    }
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#writing.then(work);
    this.#writing = turn.catch(() => undefined);
    return turn;
  }

  /** @param before The append before this one. */
  async #write(events: EventBytes, before: Promise<unknown>): Promise<Written> {
    const write = async () => {
      if (this.#salvage.isNeeded) await this.#salvage.run();
      const writer = await this.#currentWriter(events, before);
      return { writer, group: await writer.write(events) };
    };
    try {
      return await write();
    } catch {
      // What failed once is not trusted with the same events again: they go to a new file.
      await this.#endSegment().catch(() => undefined);
    }
    try {
      return await write();
    } catch (cause) {
      await this.#endSegment().catch(() => undefined);
      throw storageError(`cannot write ${events.ends.length} events to ${this.#directory}`, cause);
    }
  }

  async #currentWriter({ times }: EventBytes, before: Promise<unknown>): Promise<SegmentWriter> {
    const now = this.#clock.now();
    const writer = this.#writer;
    if (writer !== undefined) {
      const age = now - writer.segment.baseTime;
      if (writer.size < this.#segmentBytes && age >= 0 && age < SEGMENT_AGE_MS) return writer;
      // All that a segment holds is to count before it ends.
      await before;
      await this.#endSegment();
    }
    this.#writer = await this.#createSegment({ first: 0, baseTime: times?.[0] ?? now });
    return this.#writer;
  }

  async #createSegment(header: SegmentHeader): Promise<SegmentWriter> {
    const create = async () => {
      const { directory } = await this.#claim();
      const segment = this.#newSegment(directory);
      const isSynced = this.#fsync !== 'never';
      const writer = await SegmentWriter.create(this.#fs, segment, header, this.#buffers, isSynced);
      this.#segments.set(segment.number, segment);
      if (isSynced) await this.#fs.syncDirectory(directory);
      return writer;
    };
    try {
      return await create();
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error;
      // Somebody removed the directory.
      this.#leaveSlot();
      return create();
    }
  }

  #newSegment(directory: string, name?: string): Segment {
    this.#lastSegment += 1;
    const number = this.#lastSegment;
    return new Segment(this.#context, number, directory, name ?? segmentName(number));
  }

  /** Ends the current segment: it is read and released from now on, never written. */
  async #endSegment(): Promise<void> {
    const writer = this.#writer;
    if (writer === undefined) return;
    this.#syncTimer?.cancel();
    this.#syncTimer = undefined;
    try {
      await this.#sync(writer);
    } finally {
      this.#writer = undefined;
      await writer.close();
    }
    if (writer.segment.isDone) await this.#delete(writer.segment);
  }

  #scheduleSync(writer: SegmentWriter): void {
    const sync = () => {
      this.#syncTimer?.cancel();
      this.#syncTimer = undefined;
      this.#sync(writer).catch((error) => this.#observer?.failed(error));
    };
    if (writer.unsyncedBytes >= SYNC_BYTES) sync();
    else this.#syncTimer ??= this.#clock.setTimeout(sync, SYNC_INTERVAL_MS);
  }

  /** Makes what a segment holds survive a power cut, in another file where need be. */
  async #sync(writer: SegmentWriter): Promise<void> {
    try {
      await writer.sync();
      return;
    } catch (cause) {
      const { path } = writer.segment;
      this.#observer?.failed(storageError(`cannot sync ${path}; its last events go to a new file`, cause));
    }
    if (this.#writer === writer) this.#writer = undefined;
    this.#salvage.keep(writer.segment, await writer.close());
    await this.#salvage.run();
    if (writer.segment.isDone) await this.#delete(writer.segment);
  }

  /** As `#sync`. Where that fails, the events are not the journal's: whoever appends them still has them. */
  async #syncOrDrop(writer: SegmentWriter): Promise<void> {
    try {
      await this.#sync(writer);
    } catch (cause) {
      await this.#salvage.drop(writer.segment.number);
      throw storageError(`cannot make events in ${this.#directory} survive a power cut`, cause);
    }
  }

  async #rewrite(lost: Segment, groups: readonly WrittenGroup[]): Promise<Segment> {
    const { baseTime } = lost;
    const first = groups[0]?.from ?? lost.end;
    const writer = await this.#createSegment({ first, baseTime });
    const { segment } = writer;
    try {
      for (const group of groups) writer.confirm(await writer.rewrite(group));
      await writer.sync();
    } catch (error) {
      await writer.close();
      await this.#delete(segment).catch(() => undefined);
      throw error;
    }
    await writer.close();
    // What was delivered of them meanwhile.
    let at = first;
    for (const { from, to } of [
      ...lost.waiting(first, segment.end),
      { from: segment.end, to: segment.end },
    ]) {
      if (from > at) await segment.acknowledge(at, from);
      at = to;
    }
    return segment;
  }

  #leaveSlot(): void {
    this.#slot?.then((slot) => slot.release()).catch(() => undefined);
    this.#slot = undefined;
    this.#claimed = undefined;
  }

  async #delete(segment: Segment): Promise<void> {
    // Two releases that overlap both find it done.
    if (!this.#segments.delete(segment.number)) return;
    try {
      await segment.delete();
    } catch (error) {
      this.#segments.set(segment.number, segment);
      throw error;
    }
    this.#salvage.forget(segment);
    // An adopted directory is done with its last segment; the slot's own only when the slot is given back.
    if (segment.directory !== this.#claimed?.directory)
      await this.#fs.removeDirectory(segment.directory).catch(() => undefined);
  }
}

/** Segments of one process sort by name in the order in which they were written. */
function segmentName(number: number): string {
  return String(number).padStart(8, '0');
}
