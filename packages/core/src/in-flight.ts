import { rangeLength } from './journal.ts';
import type { EpochRange } from './range-queue.ts';

/** The segment of events that no journal holds, because storage failed: they live in memory alone. */
export const MEMORY_SEGMENT = 0;

/** Counts the events of batches on their way, by where the journal has them and since when they wait. */
export class InFlight {
  #count = 0;
  readonly #bySegment = new Map<number, number>();
  /** How many are of ranges that began at each time. */
  readonly #byTime = new Map<number, number>();
  /** Segments that the journal gave up while some of their events were on their way. */
  readonly #evicted = new Set<number>();

  get count(): number {
    return this.#count;
  }

  /** When what is on its way was accepted, as far as it is known. */
  get times(): Iterable<number> {
    return this.#byTime.keys();
  }

  add(range: EpochRange): void {
    this.#change(range, rangeLength(range));
  }

  remove(range: EpochRange): void {
    this.#change(range, -rangeLength(range));
  }

  /** The journal gave up a segment. Returns how many events of it are on their way, in memory alone from now on. */
  evict(segment: number): number {
    const count = this.#bySegment.get(segment) ?? 0;
    // Two lanes may give it up at once.
    if (count === 0 || this.#evicted.has(segment)) return 0;
    this.#evicted.add(segment);
    return count;
  }

  /** Whether no journal holds the events of a range that is on its way. */
  isInMemoryAlone({ segment }: EpochRange): boolean {
    return segment === MEMORY_SEGMENT || this.#evicted.has(segment);
  }

  #change({ segment, at }: EpochRange, count: number): void {
    this.#count += count;
    if (at !== undefined) addTo(this.#byTime, at, count);
    if (addTo(this.#bySegment, segment, count) === 0) this.#evicted.delete(segment);
  }
}

/** Adds to a count, which is forgotten when nothing is left of it. Returns what is left. */
function addTo(counts: Map<number, number>, key: number, count: number): number {
  const total = Math.max(0, (counts.get(key) ?? 0) + count);
  if (total > 0) counts.set(key, total);
  else counts.delete(key);
  return total;
}
