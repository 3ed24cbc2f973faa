import { type Limit, NO_EVENTS } from '../../../base/event-bytes.ts';
import type { Range } from '../../../base/range.ts';
import type { Reading } from '../../journal.ts';
import type { Segment } from '../segments/segment.ts';
import { collect } from '../segments/segment-reader.ts';
import type { WrittenGroup } from '../segments/segment-writer.ts';

interface Kept {
  readonly segment: Segment;
  readonly from: number;
  readonly groups: readonly WrittenGroup[];
}

interface Moved {
  readonly from: number;
  readonly segment: Segment;
}

/** Writes groups to a new segment and syncs it. The events keep their indexes. */
type Rewrite = (lost: Segment, groups: readonly WrittenGroup[]) => Promise<Segment>;

/** Records that a segment need not hold these events any more. */
type Release = (segment: Segment, from: number, to: number) => Promise<void>;

/**
 * Events that the disk may have lost because their sync failed: the file seems to hold them, but may not after a power cut. They
 * stay in memory until another file holds them. Their ranges do not change: this class maps a range to the place of its events.
 */
export class Salvage {
  readonly #rewrite: Rewrite;
  readonly #release: Release;
  /** By the number of the segment that may have lost them. An entry has all events of that segment from `from` on. */
  readonly #kept = new Map<number, Kept>();
  readonly #moved = new Map<number, Moved>();
  #running: Promise<void> | undefined;

  constructor(rewrite: Rewrite, release: Release) {
    this.#rewrite = rewrite;
    this.#release = release;
  }

  /** How many events are in memory only and not released. */
  get count(): number {
    let count = 0;
    for (const { segment, from, groups } of this.#kept.values()) {
      for (const run of segment.waiting(from, groups.at(-1)?.to ?? from)) count += run.to - run.from;
    }
    return count;
  }

  /** Keeps the last events of a segment, which the disk may have lost. */
  keep(segment: Segment, groups: readonly WrittenGroup[]): void {
    const from = groups[0]?.from;
    if (from === undefined || this.#kept.has(segment.number) || this.#moved.has(segment.number)) return;
    this.#kept.set(segment.number, { segment, from, groups });
  }

  /** Writes all kept events to new files. If the disk fails again, it rejects and still keeps them. */
  run(): Promise<void> {
    if (this.#kept.size > 0) this.#running ??= this.#run();
    return this.#running ?? Promise.resolve();
  }

  /** Drops the kept events of a segment: they are stored elsewhere, or given up. */
  async drop(number: number): Promise<void> {
    const kept = this.#kept.get(number);
    this.#kept.delete(number);
    if (kept !== undefined) await this.#forsake(kept);
  }

  /** Reads kept events. Undefined if the range does not start with one. */
  read(range: Range, limit: Limit): Reading | undefined {
    const kept = this.#kept.get(range.segment);
    if (kept === undefined || range.from < kept.from) return undefined;
    const group = kept.groups.find(({ to }) => to > range.from);
    if (group === undefined) return { events: NO_EVENTS, range };
    const wanted = { ...range, to: Math.min(range.to, group.to) };
    const { events, count } = collect(Buffer.from(group.frames), true, wanted, limit, kept.segment);
    return { events, range: count > 0 ? { ...range, to: range.from + count } : wanted };
  }

  /** The first part of a range that is in one file. */
  withinOne(range: Range): Range {
    const { from } = this.#kept.get(range.segment) ?? this.#moved.get(range.segment) ?? { from: range.to };
    return range.from < from && from < range.to ? { ...range, to: from } : range;
  }

  /** The number of the segment that holds the start of a range. */
  segmentOf({ segment, from }: Range): number {
    const moved = this.#moved.get(segment);
    return moved !== undefined && from >= moved.from ? moved.segment.number : segment;
  }

  /** The segment number that ranges use for the events of a segment. */
  nameOf(segment: Segment): number {
    for (const [number, moved] of this.#moved) if (moved.segment === segment) return number;
    return segment.number;
  }

  /** Forgets a segment that was deleted. */
  forget(segment: Segment): void {
    this.#kept.delete(segment.number);
    for (const [number, moved] of this.#moved) if (moved.segment === segment) this.#moved.delete(number);
  }

  async #run(): Promise<void> {
    try {
      // The loop also visits entries that are added while it runs: their callers wait for this run.
      for (const kept of this.#kept.values()) await this.#save(kept);
    } finally {
      this.#running = undefined;
    }
  }

  async #save(kept: Kept): Promise<void> {
    const { segment, from, groups } = kept;
    const moved = await this.#rewrite(segment, groups);
    this.#kept.delete(segment.number);
    this.#moved.set(segment.number, { from, segment: moved });
    // Release in the new segment what was delivered until now. Later releases go there directly.
    let at = from;
    for (const run of [...segment.waiting(from, moved.end), { from: moved.end, to: moved.end }]) {
      if (run.from > at) await this.#release(moved, at, run.from);
      at = run.to;
    }
    await this.#forsake(kept);
  }

  /** Releases the events in the old file. If it still has them, the next process must not deliver them again. */
  async #forsake({ segment, from, groups }: Kept): Promise<void> {
    await this.#release(segment, from, groups.at(-1)?.to ?? from).catch(() => undefined);
  }
}
