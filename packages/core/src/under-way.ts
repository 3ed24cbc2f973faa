import type { Backlog } from './backlog.ts';
import type { Batch } from './batch.ts';
import { MEMORY_SEGMENT } from './in-flight.ts';
import type { EventBytes, Journal, Range } from './journal.ts';

export interface UnderWayOptions {
  readonly backlog: Backlog;
  readonly journal: Journal;
  /** Writes events to the journal that it did not take before. Undefined where it still does not. */
  readonly secure: (events: EventBytes, holdMs?: number) => Promise<Range | undefined>;
}

/**
 * Batches under way. Those that are in memory alone, because the journal failed, are given to it once it works; those that
 * lie in what it is about to give up can be given to it again.
 */
export class UnderWay {
  readonly #options: UnderWayOptions;
  readonly #batches = new Set<Batch>();
  /** Those that the journal was given once more. */
  readonly #read = new WeakSet<Batch>();

  constructor(options: UnderWayOptions) {
    this.#options = options;
  }

  add(batch: Batch): void {
    this.#batches.add(batch);
  }

  /** A batch has met its end, or goes on in parts. */
  delete(batch: Batch): void {
    this.#batches.delete(batch);
  }

  /** Whether the journal may still read a batch. */
  isRead(batch: Batch): boolean {
    return this.#read.has(batch);
  }

  /** Gives to the journal what is in memory alone. */
  async secure(): Promise<void> {
    for (const batch of this.in(MEMORY_SEGMENT)) if (!(await this.secureOne(batch))) return;
  }

  /** Gives to the journal one that is in memory alone: before this returns, where there is room. False where that fails. */
  async secureOne(batch: Batch, holdMs?: number): Promise<boolean> {
    const { secure } = this.#options;
    this.#read.add(batch);
    const range = await secure(batch.events, holdMs);
    if (range === undefined) return false;
    await this.place(batch, range);
    return true;
  }

  /** The journal has a batch in another place, or has it now. Its end may have come meanwhile. */
  async place(batch: Batch, written: Range): Promise<void> {
    const { backlog, journal } = this.#options;
    if (this.#batches.has(batch)) batch.range = backlog.moveInFlight(batch.range, written);
    else await journal.acknowledge(written).catch(() => undefined);
  }

  /** Writes what lies in a segment to another one. Returns how many bytes that are. */
  async rescue(segment: number): Promise<number> {
    const { journal } = this.#options;
    let bytes = 0;
    for (const batch of this.in(segment)) {
      this.#read.add(batch);
      await this.place(batch, await journal.append(batch.events));
      bytes += batch.events.bytes.length;
    }
    return bytes;
  }

  /** Those that lie in a segment, also those that come while they are looked at: a batch may go on in parts. */
  *in(segment: number): Generator<Batch> {
    for (const batch of this.#batches) if (batch.range.segment === segment) yield batch;
  }
}
