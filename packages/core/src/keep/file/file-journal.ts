import { join, resolve } from 'node:path';
import type { Clock } from '@sluice/protocol/toolbox';
import { ClosedError } from '../../base/errors/closed-error.ts';
import { storageError } from '../../base/errors/storage-error.ts';
import type { EventBytes, Limit } from '../../base/event-bytes.ts';
import type { Range } from '../../base/range.ts';
import { Turns } from '../../base/turns.ts';
import type { Fsync, Journal, JournalObserver, Reading } from '../journal.ts';
import { DamagedFiles } from './damaged-files.ts';
import { diskError, errorCode, type FileSystem } from './disk/file-system.ts';
import { nodeFileSystem } from './disk/node-file-system.ts';
import { Appender, WRITE_BYTES } from './segments/appender.ts';
import { mergeSmall } from './segments/merge.ts';
import { OpenFiles } from './segments/open-files.ts';
import { Recovery } from './segments/recovery.ts';
import { Segments } from './segments/segments.ts';
import { type Site, segmentSize } from './site.ts';
import { type Locks, systemLocks } from './slots/system-locks.ts';
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

const GROUP_LIMIT: Limit = { maxEvents: 4096, maxBytes: WRITE_BYTES };
const SEGMENT_BYTES = 8 * 1024 * 1024;
const MOST_OPEN_FILES = 8;
/** A journal directory has directories of slots, and those of its parts, such as dead letters, have their own. */
const MOST_DEPTH = 3;

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
  readonly #site: Site;
  readonly #maxBytes: number;
  readonly #files: OpenFiles;
  readonly #damaged: DamagedFiles;
  readonly #tenancy: Tenancy;
  readonly #segments: Segments;
  readonly #recovery: Recovery;
  readonly #appender: Appender;
  readonly #syncs = new Turns();
  /** Set by `close()`: settles after the last sync. */
  #ended: Promise<void> | undefined;

  constructor(options: FileJournalOptions) {
    const { directory, fsync, clock, maxBytes = Number.POSITIVE_INFINITY } = options;
    // A process may change its working directory later.
    const root = resolve(directory);
    const { fs = nodeFileSystem, locks = systemLocks, isPart = false } = options;
    const segmentBytes = segmentSize(options.segmentBytes ?? SEGMENT_BYTES, maxBytes);
    const ours = new Set<string>();
    const site = { root, isPart, fs, locks, ours, clock, fsync, segmentBytes, observer: undefined };
    this.groupLimit = { ...GROUP_LIMIT, maxBytes: Math.min(GROUP_LIMIT.maxBytes, segmentBytes) };
    this.#site = site;
    this.#maxBytes = maxBytes;
    this.#files = new OpenFiles(fs, MOST_OPEN_FILES, clock);
    this.#damaged = new DamagedFiles(site);
    this.#tenancy = new Tenancy(site, (...of) => this.#look(...of));
    this.#segments = new Segments(
      site,
      this.#files,
      this.#damaged,
      () => this.#tenancy.directory,
      (lost, groups) => this.#appender.rewrite(lost, groups),
    );
    this.#recovery = new Recovery(site, this.#segments);
    this.#appender = new Appender(site, this.#tenancy, this.#segments);
  }

  get bytes(): number {
    return this.#segments.bytes;
  }

  get unsaved(): number {
    return this.#segments.unsaved;
  }

  get oldest(): number | undefined {
    const oldest = this.#segments.oldest();
    return this.#recovery.hasUntold || oldest === this.#appender.current ? undefined : oldest;
  }

  async open(observer: JournalObserver): Promise<void> {
    this.#site.observer = observer;
    try {
      await this.#tenancy.open();
    } catch (cause) {
      throw diskError('cannot open the journal in', this.#site.root, cause);
    }
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
    // Nothing may be awaited between the choice of the segment and its end: later events must go to another one.
    if (this.#recovery.hasUntold) await this.#recovery.tell();
    const oldest = this.#segments.oldest();
    if (oldest === undefined) return undefined;
    await this.#appender.end(({ number }) => number === oldest);
    await rescue?.(oldest);
    await this.#segments.evict(oldest);
    return oldest;
  }

  async reclaim(bytes = 0): Promise<void> {
    await this.#appender.end((segment) => segment.isReleased);
    if (bytes > 0) await this.#damaged.tidy(bytes);
  }

  async space(): ReturnType<NonNullable<Journal['space']>> {
    const { fs, root } = this.#site;
    const volume = await fs.volume(root);
    if (this.#maxBytes === Number.POSITIVE_INFINITY) return volume;
    return { ...volume, otherBytes: await this.#otherBytes(root, MOST_DEPTH) };
  }

  async close(): Promise<void> {
    if (this.#ended) return;
    this.#recovery.isOver = true;
    this.#ended = this.#end();
    try {
      await this.#ended;
    } catch (error) {
      const { observer, root } = this.#site;
      observer?.failed(storageError(`cannot end the journal in ${root}`, error));
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

  /** The size of all files in a directory and those inside it that are not this journal's own. Processes may change it meanwhile. */
  async #otherBytes(directory: string, depth: number): Promise<number> {
    const { fs } = this.#site;
    let bytes = 0;
    const entries = await fs.list(directory).catch((error) => {
      // A directory that somebody else put there does not count.
      if (depth === MOST_DEPTH && errorCode(error) !== 'ENOENT') throw error;
      return [];
    });
    for (const { name, kind } of entries) {
      const path = join(directory, name);
      if (kind === 'directory' && depth > 1) bytes += await this.#otherBytes(path, depth - 1);
      // Asked first: a file of our own may be deleted while its size is read.
      if (kind === 'file' && !this.#segments.knows(path)) bytes += await fs.sizeOf(path);
    }
    return bytes;
  }

  /** Finds events that are not known yet. Resolves to false if something failed that may work later. */
  async #look(adopted: readonly string[], own: readonly string[], makeDirectory: () => Promise<string>) {
    if (this.#ended) return true;
    const onFailed = (error: Error) => this.#site.observer?.failed(error);
    const merged = await mergeSmall(adopted, this.#site, makeDirectory).catch((cause) => {
      onFailed(storageError(`cannot merge small files in ${this.#site.root}`, cause));
      return [];
    });
    // A sync checks that the current file is in its place.
    await this.#appender.sync().catch(onFailed);
    const isComplete = await this.#recovery.look([...own, ...adopted, ...merged], this.#tenancy.directory);
    await this.#recovery.tell();
    return isComplete;
  }
}
