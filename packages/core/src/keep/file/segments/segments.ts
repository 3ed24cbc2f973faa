import { join, parse } from 'node:path';
import { type Limit, NO_EVENTS } from '../../../base/event-bytes.ts';
import { type Range, rangeLength } from '../../../base/range.ts';
import { Turns } from '../../../base/turns.ts';
import type { Reading } from '../../journal.ts';
import type { DamagedFiles } from '../damaged-files.ts';
import type { WrittenGroup } from '../format/frame.ts';
import { ACKNOWLEDGEMENTS_SUFFIX, SEGMENT_SUFFIX } from '../format/segment-header.ts';
import type { Site } from '../site.ts';
import type { OpenFiles } from './open-files.ts';
import { Segment } from './segment.ts';

/** Writes groups of a segment to a new one with the same number, and syncs that. */
type Rewrite = (lost: Segment, groups: readonly WrittenGroup[]) => Promise<Segment>;

/**
 * The segments of a journal, its own and those that it took over, by their number in ranges. If the sync of a segment fails, the disk
 * may have lost its last events: they stay in memory until a second file holds them, under the same number.
 */
export class Segments {
  readonly #site: Site;
  readonly #context: ConstructorParameters<typeof Segment>[0];
  readonly #ownDirectory: () => string | undefined;
  readonly #rewrite: Rewrite;
  /** The files of each number: several after a failed sync, in the order of their events. */
  readonly #segments = new Map<number, readonly Segment[]>();
  /** The paths of segments, and how many have them: a file may have a name that another one was to have. */
  readonly #paths = new Map<string, number>();
  readonly #unsaved = new Set<Segment>();
  /** Numbers of segments that could not be deleted. Until the next look, others are given up in their place. */
  readonly #stuck = new Set<number>();
  #saving: Promise<void> | undefined;
  /** Releases and deletions in progress. */
  readonly #underWay = new Turns();
  #last = 0;
  /** Size of all segments, in bytes. */
  bytes = 0;

  /** @param ownDirectory The slot's own directory, which is not removed with its last segment. */
  constructor(
    site: Site,
    files: OpenFiles,
    damaged: DamagedFiles,
    ownDirectory: () => string | undefined,
    rewrite: Rewrite,
  ) {
    this.#site = site;
    this.#ownDirectory = ownDirectory;
    this.#rewrite = rewrite;
    this.#context = {
      ...{ site, files, damaged },
      onMissing: (segment, missing) => {
        const range = { segment: segment.number, ...missing };
        // Ignores segments that are not held yet, and events that another file has.
        if (this.#locate(range).segment !== segment) return;
        site.observer?.settled?.(range, 'damaged');
        this.acknowledge(range).catch((error) => site.observer?.failed(error));
      },
    };
  }

  /** Number of unreleased events that are in memory only. */
  get unsaved(): number {
    let count = 0;
    for (const segment of this.#unsaved)
      for (const { from, to } of segment.unsaved)
        for (const run of segment.waiting(from, to)) count += rangeLength(run);
    return count;
  }

  next(): number {
    return ++this.#last;
  }

  /** @param number Its number in ranges. @param name The name of its files, without a suffix. */
  create(directory: string, number: number, name: string): Segment {
    const segment = new Segment(this.#context, number, directory, name);
    this.#countPath(segment, 1);
    return segment;
  }

  hold(segment: Segment): void {
    const { number } = segment;
    this.#segments.set(number, [...(this.#segments.get(number) ?? []), segment]);
    this.bytes += segment.bytes;
    segment.onGrowth = (bytes) => {
      this.bytes += bytes;
    };
  }

  /** A segment that `create()` made is not held. Its file may be looked at again, unless it is that of another one. */
  abandon(segment: Segment): void {
    this.#countPath(segment, -1);
  }

  /** Whether the journal knows the segment that a file belongs to, by its path. */
  knows(path: string): boolean {
    const { dir, ext, name } = parse(path);
    return this.#paths.has(ext === ACKNOWLEDGEMENTS_SUFFIX ? join(dir, name + SEGMENT_SUFFIX) : path);
  }

  async read(range: Range, limit: Limit): Promise<Reading> {
    const { segment, part } = this.#locate(range);
    if (segment === undefined) return { events: NO_EVENTS, range: part };
    const reading = await segment.read(part, limit);
    // After a failed sync, events move to another file. This one may have been removed before it was opened.
    const isMoved = reading.events.ends.length === 0 && this.#locate(part).segment !== segment;
    return isMoved ? this.read(range, limit) : reading;
  }

  async acknowledge(range: Range): Promise<void> {
    const released: Promise<void>[] = [];
    for (let rest = range; rest.from < rest.to; ) {
      const { segment, part } = this.#locate(rest, this.#segments.get(rest.segment));
      rest = { ...rest, from: part.to };
      if (segment) released.push(this.#release(segment, part.from, part.to));
    }
    await Promise.all(released);
  }

  /**
   * The number of the oldest segment. Segments that were taken over are older than this process's own. Among them the base time
   * decides; among its own, the number.
   */
  oldest(): number | undefined {
    let oldest: number | undefined;
    let least = Number.POSITIVE_INFINITY;
    const every = this.#all();
    const free = every.filter(({ number }) => !this.#stuck.has(number));
    const all = free.length > 0 ? free : every;
    for (const { baseTime, directory, number } of all) {
      if (directory === this.#ownDirectory()) continue;
      const age = Number.isNaN(baseTime) ? Number.MAX_VALUE : baseTime;
      if (age < least) [oldest, least] = [number, age];
    }
    return oldest ?? all[0]?.number;
  }

  /** Deletes a segment, even if events in it wait. If it cannot be deleted, nothing is given up. */
  async evict(number: number): Promise<void> {
    const [first] = this.#filesOf(number);
    if (first === undefined) return;
    const deleted = this.#delete(first);
    this.#underWay.add(deleted);
    this.#stuck.add(number);
    await deleted;
    this.#stuck.delete(number);
    // From here on all its events are given up, even if a later step fails, and even those that are being saved.
    for (const file of [first, ...this.#filesOf(number)]) await this.discard(file).catch(() => undefined);
  }

  /** Deletes a segment that is not needed. If that fails, its events are recorded as released, so that no process delivers them. */
  discard(segment: Segment): Promise<void> {
    return this.#release(segment, 0, segment.end);
  }

  /** The disk may have lost the last events of a segment: keeps them in memory. */
  keep(segment: Segment, groups: readonly WrittenGroup[]): void {
    if (groups.length === 0) return;
    segment.unsaved = groups;
    this.#unsaved.add(segment);
  }

  /** Writes all events that are in memory only to new files. If the disk fails again, it rejects and still keeps them. */
  save(): Promise<void> {
    if (this.#unsaved.size > 0)
      this.#saving ??= this.#saveAll().finally(() => {
        this.#saving = undefined;
      });
    return this.#saving ?? Promise.resolve();
  }

  async #saveAll(): Promise<void> {
    // The loop also visits those that are added while it runs: their callers wait for this run.
    for (const segment of this.#unsaved) {
      const moved = await this.#rewrite(segment, segment.unsaved);
      const waiting = segment.waiting(moved.from, moved.end);
      await this.drop(segment);
      // Release in the new file what was delivered until now. Later releases go there directly.
      let at = moved.from;
      for (const run of [...waiting, { from: moved.end, to: moved.end }]) {
        if (run.from > at) await this.#release(moved, at, run.from);
        at = run.to;
      }
    }
  }

  /** Drops the events of a segment that are in memory only: they are stored elsewhere, or given up. */
  async drop(segment: Segment): Promise<void> {
    const { from = 0 } = segment.unsaved[0] ?? {};
    const { to = from } = segment.unsaved.at(-1) ?? {};
    segment.unsaved = [];
    this.#unsaved.delete(segment);
    // If its file still has them, the next process must not deliver them again.
    await this.#release(segment, from, to).catch(() => undefined);
  }

  /**
   * Tells of the events whose files are gone, maybe with their directory, or are shorter than they were, as those in a backup, and
   * gives them up. What was saved of them is elsewhere.
   */
  async forsake(): Promise<void> {
    const { fs } = this.#site;
    this.#stuck.clear();
    for (const segment of this.#all()) {
      const { number, sealed, unsaved } = segment;
      // Events in memory only are not lost with the file: they must be saved first.
      if (!sealed || unsaved.length > 0) continue;
      const size = await fs.sizeOf(segment.path).catch(() => undefined);
      if (size === undefined || size >= segment.size || !this.#holds(segment)) continue;
      // Only now: an append may have ended meanwhile.
      const { end } = segment;
      if (size > 0) await segment.shrink();
      else segment.written = 0;
      const [first] = segment.waiting(size > 0 ? segment.end : 0, end);
      const gone = first && this.#locate({ segment: number, from: first.from, to: end });
      if (gone?.segment === segment) this.#site.observer?.vanished?.(gone.part);
      if (size === 0 || segment.isDone) await this.discard(segment).catch(() => undefined);
    }
  }

  /** Whether the file with these events is gone. */
  hasLost(range: Range): boolean {
    const { segment } = this.#locate(range);
    // The only file that is left may be that of later events.
    return segment === undefined || segment.from > range.from || segment.written < range.to;
  }

  /** Resolves once no release or deletion is in progress, and what could not be recorded has been tried again. */
  async settled(): Promise<void> {
    await this.#underWay.ended();
    await Promise.allSettled(this.#all().map((segment) => segment.record()));
  }

  async deleteIfDone(segment: Segment): Promise<void> {
    if (segment.isDone) await this.#delete(segment);
  }

  #release(segment: Segment, from: number, to: number): Promise<void> {
    const released = segment.acknowledge(from, to).then(() => this.deleteIfDone(segment));
    this.#underWay.add(released);
    return released;
  }

  async #delete(segment: Segment): Promise<void> {
    // Two releases at the same time both find the segment done: only the first deletes it.
    if (!this.#holds(segment)) return;
    await segment.delete();
    const { number } = segment;
    const left = this.#segments.get(number)?.filter((file) => file !== segment) ?? [];
    if (left.length > 0) this.#segments.set(number, left);
    else this.#segments.delete(number);
    segment.onGrowth = () => {};
    this.#countPath(segment, -1);
    this.bytes -= segment.bytes;
    this.#unsaved.delete(segment);
    // A directory that was taken over is removed with its last segment; the slot's own is removed when the slot is released.
    if (segment.directory !== this.#ownDirectory())
      await this.#site.fs.removeDirectory(segment.directory).catch(() => undefined);
  }

  #all(): Segment[] {
    return [...this.#segments.keys()].flatMap((number) => this.#filesOf(number));
  }

  #countPath({ path }: Segment, more: number): void {
    this.#paths.set(path, (this.#paths.get(path) ?? 0) + more);
    if (this.#paths.get(path) === 0) this.#paths.delete(path);
  }

  #holds(segment: Segment): boolean {
    return this.#filesOf(segment.number).includes(segment);
  }

  /** Without those that are being deleted. */
  #filesOf(number: number): readonly Segment[] {
    return this.#segments.get(number)?.filter(({ isGoing }) => !isGoing) ?? [];
  }

  /** The file with the start of a range, and the part of the range that it has. */
  #locate(range: Range, files = this.#filesOf(range.segment)) {
    let [segment] = files;
    let { to } = range;
    for (const file of files) {
      if (file.from > range.from) to = Math.min(to, file.from);
      // The next file counts only once it has all events that are in memory.
      else if (segment?.unsaved.length === 0) segment = file;
    }
    const firstUnsaved = segment?.unsaved[0]?.from ?? 0;
    if (firstUnsaved > range.from) to = Math.min(to, firstUnsaved);
    return { segment, part: { ...range, to } };
  }
}
