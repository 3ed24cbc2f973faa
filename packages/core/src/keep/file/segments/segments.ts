import { basename, join, parse } from 'node:path';
import { StorageError, storageError } from '../../../base/errors/storage-error.ts';
import { type Limit, NO_EVENTS } from '../../../base/event-bytes.ts';
import type { Range, Span } from '../../../base/range.ts';
import type { Reading } from '../../journal.ts';
import { errorCode } from '../disk/file-system.ts';
import { Salvage } from '../format/salvage.ts';
import { ACKNOWLEDGEMENTS_SUFFIX, SEGMENT_SUFFIX, segmentName } from '../format/suffixes.ts';
import { filesIn } from './merge.ts';
import { Segment, type SegmentContext } from './segment.ts';

interface Recovery {
  /** Called with each segment, and its events that are not released. */
  readonly found: (segment: Segment, waiting: readonly Span[]) => void;
  /** Whether to end: the journal is closed. */
  readonly isOver: () => boolean;
}

/** The segments of a journal, its own and those that it took over, by their number in ranges. */
export class Segments {
  /** Events that may be missing from the files, because a sync failed. */
  readonly salvage: Salvage;
  readonly #context: SegmentContext;
  readonly #ownDirectory: () => string | undefined;
  readonly #segments = new Map<number, Segment>();
  readonly #paths = new Set<string>();
  /** Segments of other versions. */
  readonly #foreign = new Set<string>();
  /** Releases and deletions in progress. */
  readonly #underWay = new Set<Promise<void>>();
  #last = 0;
  #bytes = 0;

  /** @param ownDirectory The slot's own directory, which is not removed with its last segment. */
  constructor(
    context: Omit<SegmentContext, 'onMissing'> & { readonly onMissing: (range: Range) => void },
    ownDirectory: () => string | undefined,
    rewrite: ConstructorParameters<typeof Salvage>[0],
  ) {
    this.#context = {
      ...context,
      onMissing: (segment, missing) => {
        const range = { segment: this.nameOf(segment), ...missing };
        // Nobody was told of what is only opened, and what was salvaged is elsewhere.
        if (this.#holderOf(range) !== segment) return;
        context.onMissing(range);
        this.acknowledge(range).catch(context.onFailed);
      },
    };
    this.#ownDirectory = ownDirectory;
    this.salvage = new Salvage(rewrite, (segment, from, to) => this.#release(segment, from, to));
  }

  /** Size of all segments, in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The next number, and the name of a new segment made from it. */
  next(): { number: number; name: string } {
    this.#last += 1;
    return { number: this.#last, name: segmentName(this.#last) };
  }

  /** A new segment. */
  create(directory: string, { number, name }: { number: number; name: string } = this.next()): Segment {
    const segment = new Segment(this.#context, number, directory, name);
    this.#paths.add(segment.path);
    return segment;
  }

  /**
   * Takes over the segments in a directory that the journal does not know: another process left them, or somebody put them there.
   * Leaves those that it cannot read where they are. Resolves to false if it should be called again later.
   */
  async recover(directory: string, { found, isOver }: Recovery): Promise<boolean> {
    const { fs } = this.#context;
    try {
      await this.forsake(directory);
      const names = await filesIn(directory, fs);
      let isComplete = true;
      for (const name of names) {
        if (isOver()) return true;
        if (name.endsWith(SEGMENT_SUFFIX))
          isComplete = (await this.#recover(directory, basename(name, SEGMENT_SUFFIX), found)) && isComplete;
        if (!name.endsWith(ACKNOWLEDGEMENTS_SUFFIX)) continue;
        const segment = basename(name, ACKNOWLEDGEMENTS_SUFFIX) + SEGMENT_SUFFIX;
        // The deletion of the segment was interrupted.
        if (!names.includes(segment) && !this.#paths.has(join(directory, segment)))
          await fs.remove(join(directory, name));
      }
      if (directory !== this.#ownDirectory()) await fs.removeDirectory(directory).catch(() => undefined);
      return isComplete;
    } catch (cause) {
      return this.#isGone(directory, cause);
    }
  }

  async #recover(directory: string, name: string, found: Recovery['found']): Promise<boolean> {
    const { onFailed } = this.#context;
    const path = join(directory, name + SEGMENT_SUFFIX);
    if (this.#paths.has(path) || this.#foreign.has(path)) return true;
    const segment = this.create(directory, { ...this.next(), name });
    try {
      const waiting = await segment.recover();
      if (waiting?.length) {
        this.hold(segment);
        found(segment, waiting);
        return true;
      }
      if (waiting === undefined) {
        this.#foreign.add(path);
        onFailed(
          new StorageError(`${path} is left where it is: it was written by another version of Sluice`),
        );
      } else await segment.delete();
      this.#paths.delete(path);
      return true;
    } catch (cause) {
      this.#paths.delete(path);
      return this.#isGone(path, cause);
    }
  }

  /** Whether nothing is left to be read at a path, because its deletion was in progress. If something is, tells of the failure. */
  #isGone(path: string, cause: unknown): boolean {
    const isGone = errorCode(cause) === 'ENOENT';
    if (!isGone)
      this.#context.onFailed(storageError(`cannot read ${path}; it is left where it is for now`, cause));
    return isGone;
  }

  /** Whether a file is one of those in `bytes`, by its path. */
  counts(path: string): boolean {
    const { dir, ext, name } = parse(path);
    return this.#paths.has(ext === ACKNOWLEDGEMENTS_SUFFIX ? join(dir, name + SEGMENT_SUFFIX) : path);
  }

  hold(segment: Segment): void {
    this.#segments.set(segment.number, segment);
    this.#bytes += segment.bytes;
    segment.onGrowth = (bytes) => {
      this.#bytes += bytes;
    };
  }

  async read(range: Range, limit: Limit): Promise<Reading> {
    const kept = this.salvage.read(range, limit);
    if (kept !== undefined) return kept;
    const part = this.salvage.withinOne(range);
    const segment = this.#holderOf(part);
    if (segment === undefined) return { events: NO_EVENTS, range: part };
    let reading: Reading;
    try {
      reading = await segment.read(part, limit);
    } catch (cause) {
      throw storageError(`cannot read ${segment.path}`, cause);
    }
    // After a failed sync, events move to another file. This one may have been removed before it was opened.
    const isMoved = reading.events.ends.length === 0 && this.#holderOf(part) !== segment;
    return isMoved ? this.read(range, limit) : reading;
  }

  async acknowledge(range: Range): Promise<void> {
    for (let rest = range; rest.from < rest.to; ) {
      const part = this.salvage.withinOne(rest);
      const segment = this.#holderOf(part);
      rest = { ...rest, from: part.to };
      if (segment === undefined) continue;
      try {
        await this.#release(segment, part.from, part.to);
      } catch (cause) {
        throw storageError(`cannot note in ${segment.directory} what was delivered`, cause);
      }
    }
  }

  /**
   * The oldest segment. Segments that were taken over are older than this process's own. Among them the base time decides;
   * among its own, the number.
   */
  oldest(): Segment | undefined {
    let oldest: Segment | undefined;
    let least = Number.POSITIVE_INFINITY;
    for (const segment of this.#segments.values()) {
      if (segment.directory === this.#ownDirectory()) continue;
      const age = Number.isNaN(segment.baseTime) ? Number.MAX_VALUE : segment.baseTime;
      if (age < least) [oldest, least] = [segment, age];
    }
    const [own] = this.#segments.values();
    return oldest ?? own;
  }

  /** The number of a segment in ranges. */
  nameOf(segment: Segment): number {
    return this.salvage.nameOf(segment);
  }

  /**
   * Deletes a segment, even if events in it wait, and what was salvaged of it. Returns its number in ranges. If it cannot be
   * deleted, nothing is given up.
   */
  async evict(segment: Segment): Promise<number> {
    const number = this.nameOf(segment);
    const rest = this.#holderOf({ segment: number, from: segment.end, to: segment.end });
    await this.#delete(segment);
    // From here on all of it is given up, even if a later step fails.
    if (rest !== undefined) await this.discard(rest).catch(() => undefined);
    return number;
  }

  /**
   * Deletes a segment that is not needed. If that fails, its events are recorded as released, so that no process delivers them.
   */
  discard(segment: Segment): Promise<void> {
    return this.#release(segment, 0, segment.end);
  }

  /**
   * Tells of the events whose files are gone from a directory, or are shorter than they were, as those in a backup, and gives
   * them up. What is salvaged of them is elsewhere.
   */
  async forsake(directory: string): Promise<void> {
    const { fs, onVanished } = this.#context;
    for (const segment of [...this.#segments.values()]) {
      if (!segment.sealed || segment.directory !== directory) continue;
      const { end } = segment;
      const size = await fs.sizeOf(segment.path).catch(() => undefined);
      if (size === undefined || size >= segment.size || !this.#segments.has(segment.number)) continue;
      if (size > 0) await segment.shrink();
      else segment.written = 0;
      const number = this.nameOf(segment);
      const [first] = segment.waiting(size > 0 ? segment.end : 0, end);
      if (first && this.#holderOf({ segment: number, ...first }) === segment)
        onVanished(this.salvage.withinOne({ segment: number, from: first.from, to: end }));
      if (size === 0 || segment.isDone) await this.discard(segment).catch(() => undefined);
    }
  }

  /** Whether no file has written events any more. */
  hasLost(range: Range): boolean {
    return (this.#holderOf(range)?.written ?? 0) < range.to;
  }

  async deleteIfDone(segment: Segment): Promise<void> {
    if (segment.isDone) await this.#delete(segment);
  }

  #release(segment: Segment, from: number, to: number): Promise<void> {
    return this.#track(this.#releaseOnce(segment, from, to));
  }

  async #releaseOnce(segment: Segment, from: number, to: number): Promise<void> {
    await segment.acknowledge(from, to);
    await this.deleteIfDone(segment);
  }

  /** Resolves once no release or deletion is in progress. */
  async settled(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.allSettled(this.#underWay);
  }

  #track(work: Promise<void>): Promise<void> {
    const tracked = work.finally(() => this.#underWay.delete(tracked));
    this.#underWay.add(tracked);
    return tracked;
  }

  #delete(segment: Segment): Promise<void> {
    return this.#track(this.#deleteOnce(segment));
  }

  async #deleteOnce(segment: Segment): Promise<void> {
    // Two releases at the same time both find the segment done: only the first deletes it.
    if (!this.#segments.delete(segment.number)) return;
    try {
      await segment.delete();
    } catch (error) {
      this.#segments.set(segment.number, segment);
      throw error;
    }
    segment.onGrowth = () => {};
    this.#paths.delete(segment.path);
    this.#bytes -= segment.bytes;
    this.salvage.forget(segment);
    // A directory that was taken over is removed with its last segment; the slot's own is removed when the slot is released.
    if (segment.directory !== this.#ownDirectory())
      await this.#context.fs.removeDirectory(segment.directory).catch(() => undefined);
  }

  #holderOf(part: Range): Segment | undefined {
    return this.#segments.get(this.salvage.segmentOf(part));
  }
}
