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

/** What went back to the journal lately is known for as much, in bytes. */
const MOST_SHELVED_BYTES = 256 * 1024;

type Shelved = Pick<Batch, 'range' | 'events'>;

/**
 * Batches under way. Those that are in memory alone, because the journal failed, are given to it once it works; those that
 * lie in what it is about to give up can be given to it again.
 */
export class UnderWay {
  readonly #options: UnderWayOptions;
  readonly #batches = new Set<Batch>();
  /** Those that the journal was given once more. */
  readonly #read = new WeakSet<Batch>();

  /** Those that went back to the journal, the oldest first: should it lose them, they are still here. */
  #shelf: Shelved[] = [];

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

  /** A batch waits again where the journal has it. */
  shelve(batch: Batch): void {
    this.#batches.delete(batch);
    const { range, events } = batch;
    if (this.#shelf.some((other) => isWithin(range, other.range))) return;
    // A copy: what it lies in is used again.
    const copy = { range, events: { ...events, bytes: new Uint8Array(events.bytes) } };
    this.#shelf = [...this.#shelf.filter((other) => !isWithin(other.range, range)), copy];
    let bytes = this.#shelf.reduce((total, other) => total + other.events.bytes.length, 0);
    while (bytes > MOST_SHELVED_BYTES) bytes -= this.#shelf.shift()?.events.bytes.length ?? bytes;
  }

  /** Those that went back to a segment. Knows them no longer. */
  unshelve(segment: number): Shelved[] {
    const found = this.#shelf.filter(({ range }) => range.segment === segment);
    this.#shelf = this.#shelf.filter(({ range }) => range.segment !== segment);
    return found;
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

function isWithin(one: Range, other: Range): boolean {
  return one.segment === other.segment && one.from >= other.from && one.to <= other.to;
}
