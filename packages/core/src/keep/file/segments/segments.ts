import { storageError } from '../../../base/errors/storage-error.ts';
import { type Limit, NO_EVENTS } from '../../../base/event-bytes.ts';
import type { Range } from '../../../base/range.ts';
import type { Reading } from '../../journal.ts';
import { type Rewrite, Salvage } from '../format/salvage.ts';
import { Segment, type SegmentContext } from './segment.ts';

/** The segments that a journal holds, its own and those that it took over, by the number that ranges call them. */
export class Segments {
  /** What may be in none of them, because a disk failed. */
  readonly salvage: Salvage;
  readonly #context: SegmentContext;
  readonly #segments = new Map<number, Segment>();
  readonly #paths = new Set<string>();
  /** What is being noted or deleted. */
  readonly #underWay = new Set<Promise<void>>();
  #last = 0;
  #bytes = 0;

  constructor(context: SegmentContext, rewrite: Rewrite) {
    this.#context = context;
    this.salvage = new Salvage(rewrite, (segment, from, to) => this.#release(segment, from, to));
  }

  /** Bytes of all of them. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The next number, which is also the name of a new segment: those of one process sort by name. */
  next(): { number: number; name: string } {
    this.#last += 1;
    return { number: this.#last, name: String(this.#last).padStart(8, '0') };
  }

  /** A new segment. */
  create(directory: string, { number, name }: { number: number; name: string } = this.next()): Segment {
    return new Segment(this.#context, number, directory, name);
  }

  /** A segment that another life left; undefined where it is held already. */
  open(directory: string, name: string): Segment | undefined {
    const segment = new Segment(this.#context, this.next().number, directory, name);
    return this.#paths.has(segment.path) ? undefined : segment;
  }

  hold(segment: Segment): void {
    this.#segments.set(segment.number, segment);
    this.#paths.add(segment.path);
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
    try {
      return await segment.read(part, limit);
    } catch (cause) {
      throw storageError(`cannot read ${segment.path}`, cause);
    }
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

  /** The oldest: of those that were taken over, by the time of day; of this life's own, which are younger, by number. */
  oldest(): Segment | undefined {
    let oldest: Segment | undefined;
    let least = Number.POSITIVE_INFINITY;
    for (const segment of this.#segments.values()) {
      if (segment.directory === this.#context.ownDirectory()) continue;
      const age = Number.isNaN(segment.baseTime) ? Number.MAX_VALUE : segment.baseTime;
      if (age < least) [oldest, least] = [segment, age];
    }
    const [own] = this.#segments.values();
    return oldest ?? own;
  }

  /** What ranges call a segment. */
  nameOf(segment: Segment): number {
    return this.salvage.nameOf(segment);
  }

  /**
   * Deletes a segment, whatever waits in it, and what was salvaged of it. Returns what ranges call it. Where it cannot be
   * deleted, nothing is given up.
   */
  async evict(segment: Segment): Promise<number> {
    const number = this.nameOf(segment);
    const rest = this.#holderOf({ segment: number, from: segment.end, to: segment.end });
    await this.#delete(segment);
    // From here on all of it is given up, whatever fails.
    if (rest !== undefined) await this.discard(rest).catch(() => undefined);
    return number;
  }

  /** Deletes a segment of which nothing is needed: where it cannot be deleted, nobody is to find anything there. */
  discard(segment: Segment): Promise<void> {
    return this.#release(segment, 0, segment.end);
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

  /** Resolves once nothing is being noted or deleted. */
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
    // Two releases that overlap both find it done.
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
    // One that was taken over is done with its last segment; the slot's own goes when the slot is given back.
    if (segment.directory !== this.#context.ownDirectory())
      await this.#context.fs.removeDirectory(segment.directory).catch(() => undefined);
  }

  #holderOf(part: Range): Segment | undefined {
    return this.#segments.get(this.salvage.segmentOf(part));
  }
}
