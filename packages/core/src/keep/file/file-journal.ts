import { dirname, join } from 'node:path';
import type { Clock } from '@sluice/protocol/toolbox';
import { ClosedError } from '../../base/errors/closed-error.ts';
import { storageError } from '../../base/errors/storage-error.ts';
import type { EventBytes, Limit } from '../../base/event-bytes.ts';
import type { Range, Span } from '../../base/range.ts';
import { Turns } from '../../base/turns.ts';
import type { Fsync } from '../fsync.ts';
import type { Journal, JournalObserver, Reading } from '../journal.ts';
import { DamagedFiles } from './damaged-files.ts';
import { directorySize } from './directory-size.ts';
import { diskError } from './disk/disk-error.ts';
import type { FileSystem } from './disk/file-system.ts';
import { nodeFileSystem } from './disk/node-file-system.ts';
import { segmentSize, WRITE_BYTES } from './segment-size.ts';
import { Appender } from './segments/appender.ts';
import { mergeSmall } from './segments/merge.ts';
import { OpenFiles } from './segments/open-files.ts';
import { ReadingBuffer } from './segments/reading-buffer.ts';
import type { Segment } from './segments/segment.ts';
import { Segments } from './segments/segments.ts';
import type { Locks } from './slots/system-locks.ts';
import { systemLocks } from './slots/system-locks.ts';
import { Tenancy } from './slots/tenancy.ts';

/** Options of a `FileJournal`. */
export interface FileJournalOptions {
  /** The journal directory, shared by all processes that deliver to one account. Created if it is missing. */
  readonly directory: string;
  /** When written events are synced to the disk. */
  readonly fsync: Fsync;
  /** The source of time, for example `systemClock` of `@sluice/protocol/toolbox`. */
  readonly clock: Clock;
  /** When a segment reaches this size, the journal starts a new one, in bytes. Default: 8 MiB. */
  readonly segmentBytes?: number;
  /**
   * The size limit that the caller keeps the directory within, in bytes. A new segment starts after an eighth of it at the
   * latest. Default: no limit: then `space()` does not measure the directory.
   */
  readonly maxBytes?: number;
  /**
   * Whether the directory lies in that of another journal. Then it may not be a symbolic link, and damaged segments go to `damaged`
   * beside it, not inside it. Default: false.
   */
  readonly isPart?: boolean;
  /** The disk. Default: this machine's. */
  readonly fs?: FileSystem;
  /** How a process finds out which others are alive. Default: Unix sockets. */
  readonly locks?: Locks;
}

/** A segment of a previous process, and its events that are not released. */
type Found = { readonly segment: Segment; readonly waiting: readonly Span[] };

const GROUP_LIMIT: Limit = { maxEvents: 4096, maxBytes: WRITE_BYTES };
const SEGMENT_BYTES = 8 * 1024 * 1024;
const MOST_OPEN_FILES = 8;
/** So many ranges are told of in one turn of the event loop. */
const MOST_TOLD = 256;

/**
 * The append-only journal in files. FORMAT.md describes them.
 *
 * @example
 * const journal = new FileJournal({ directory: '/data/sluice', fsync: 'always', clock: systemClock });
 * const tracker = createTracker({ baseUrl, apiKey, correlationKey: 'email', journal });
 */
export class FileJournal implements Journal {
  readonly kind = 'file';
  readonly survives = true;
  readonly groupLimit: Limit;
  readonly #directory: string;
  readonly #fs: FileSystem;
  readonly #files: OpenFiles;
  readonly #damaged: DamagedFiles;
  readonly #segmentBytes: number;
  readonly #maxBytes: number;
  readonly #tenancy: Tenancy;
  readonly #segments: Segments;
  readonly #appender: Appender;
  /** Segments of previous processes, of which the observer was not told completely. */
  readonly #found: Found[] = [];
  readonly #telling = new Turns();
  #observer: JournalObserver | undefined;
  readonly #syncs = new Turns();
  /** Set by `close()`: settles after the last sync. */
  #ended: Promise<void> | undefined;

  constructor(options: FileJournalOptions) {
    const { directory, fsync, clock, maxBytes = Number.POSITIVE_INFINITY } = options;
    const { fs = nodeFileSystem, locks = systemLocks, isPart = false } = options;
    const segmentBytes = segmentSize(options.segmentBytes ?? SEGMENT_BYTES, maxBytes);
    const onFailed = (error: Error) => this.#observer?.failed(error);
    this.groupLimit = { ...GROUP_LIMIT, maxBytes: Math.min(GROUP_LIMIT.maxBytes, segmentBytes) };
    this.#directory = directory;
    this.#segmentBytes = segmentBytes;
    this.#maxBytes = maxBytes;
    this.#damaged = new DamagedFiles({
      directory: join(isPart ? dirname(directory) : directory, 'damaged'),
      fs,
      clock,
      onFailed,
    });
    this.#fs = fs;
    this.#files = new OpenFiles(fs, MOST_OPEN_FILES);
    this.#tenancy = new Tenancy({
      root: directory,
      mayBeLink: !isPart,
      fs,
      locks,
      clock,
      onLook: (adopted, own, makeDirectory) => this.#look(adopted, own, makeDirectory),
      onFailed,
    });
    this.#segments = new Segments(
      {
        fs,
        damaged: this.#damaged,
        files: this.#files,
        readingBuffer: new ReadingBuffer(),
        onDamaged: (path, bytes) => this.#observer?.damaged(path, bytes),
        onFailed,
        onMissing: (range) => this.#observer?.settled?.(range, 'damaged'),
        onVanished: (range) => this.#observer?.vanished?.(range),
      },
      () => this.#tenancy.directory,
      (lost, groups) => this.#appender.rewrite(lost, groups),
    );
    this.#appender = new Appender({
      root: directory,
      fs,
      fsync,
      clock,
      segmentBytes,
      tenancy: this.#tenancy,
      segments: this.#segments,
      onFailed,
    });
  }

  get bytes(): number {
    return this.#segments.bytes;
  }

  get unsaved(): number {
    return this.#segments.salvage.count;
  }

  async open(observer: JournalObserver): Promise<void> {
    this.#observer = observer;
    try {
      await this.#tenancy.open();
    } catch (cause) {
      throw diskError('cannot open the journal in', this.#directory, cause);
    }
    await this.#tenancy.settled();
    await this.#damaged.tidy();
  }

  append(events: EventBytes): Promise<Range> {
    if (this.#ended) return Promise.reject(new ClosedError('append() was called after close()'));
    return this.#appender.append(events);
  }

  appendSync(events: EventBytes): Range {
    return this.#appender.appendSync(events);
  }

  read(range: Range, limit: Limit): Promise<Reading> {
    return this.#segments.read(range, limit);
  }

  acknowledge(range: Range): Promise<void> {
    return this.#segments.acknowledge(range);
  }

  sync(): Promise<void> {
    const synced = this.#ended ?? this.#appender.sync();
    this.#syncs.add(synced);
    return synced;
  }

  async evictOldest(rescue?: (segment: number) => Promise<void>): Promise<number | undefined> {
    if (this.#found.length > 0) await this.#tell();
    const oldest = this.#segments.oldest();
    if (oldest === undefined) return undefined;
    await this.#appender.end((segment) => segment === oldest);
    await rescue?.(this.#segments.nameOf(oldest));
    return this.#segments.evict(oldest);
  }

  async reclaim(bytes = 0): Promise<void> {
    await this.#appender.end((segment) => segment.isReleased);
    if (bytes > 0) await this.#damaged.free(bytes);
  }

  async space(): ReturnType<NonNullable<Journal['space']>> {
    const volume = await this.#fs.volume(this.#directory);
    if (this.#maxBytes === Number.POSITIVE_INFINITY) return volume;
    const otherBytes = await directorySize(this.#fs, this.#directory, (path) => this.#segments.counts(path));
    return { ...volume, otherBytes };
  }

  async close(): Promise<void> {
    if (this.#ended) return;
    this.#ended = this.#end();
    try {
      await this.#ended;
    } catch (error) {
      this.#observer?.failed(storageError(`cannot end the journal in ${this.#directory}`, error));
    }
    // A `sync()` that was called before may still rewrite events that the disk may have lost.
    await this.#syncs.ended();
    await this.#segments.settled();
    await this.#files.closeAll();
    await this.#tenancy.release();
  }

  async #end(): Promise<void> {
    // First end all takeovers: the next process must find everything in its place.
    await this.#tenancy.retire();
    await this.#appender.end();
    await this.#appender.sync();
  }

  /** Tells of the events that were found, the oldest first, some in each turn of the event loop. */
  #tell(): Promise<void> {
    return this.#telling.take(async () => {
      const age = ({ segment }: Found) => (Number.isNaN(segment.baseTime) ? 0 : segment.baseTime);
      let told = 0;
      this.#found.sort((one, two) => age(one) - age(two));
      for (let [found] = this.#found; found !== undefined; [found] = this.#found) {
        for (const run of found.waiting) {
          if (this.#ended) return;
          this.#observer?.recovered({ segment: found.segment.number, ...run }, age(found) || undefined);
          if (++told % MOST_TOLD === 0) await this.#fs.endOfTurn?.();
        }
        this.#found.shift();
      }
    });
  }

  /** Finds events that are not known yet. Resolves to false if something failed that may work later. */
  async #look(
    adopted: readonly string[],
    own: readonly string[],
    makeDirectory: () => Promise<string>,
  ): Promise<boolean> {
    if (this.#ended) return true;
    const onFailed = (error: Error) => this.#observer?.failed(error);
    const options = { fs: this.#fs, segmentBytes: this.#segmentBytes, makeDirectory, onFailed };
    const merged = await mergeSmall(adopted, options).catch((cause) => {
      onFailed(storageError(`cannot merge small files in ${this.#directory}`, cause));
      return [];
    });
    // A sync looks whether the file that is written is as it was.
    await this.#appender.sync().catch(onFailed);
    let isComplete = true;
    const found = (segment: Segment, waiting: readonly Span[]) => this.#found.push({ segment, waiting });
    for (const directory of [...own, ...adopted, ...merged])
      isComplete =
        (await this.#segments.recover(directory, { found, isOver: () => this.#ended !== undefined })) &&
        isComplete;
    await this.#tell();
    return isComplete;
  }
}
