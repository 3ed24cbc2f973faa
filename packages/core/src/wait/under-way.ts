import { type EventBytes, sliceEvents } from '../base/event-bytes.ts';
import { type Range, rangeLength, without } from '../base/range.ts';
import type { Journal, Reading } from '../keep/journal.ts';
import { type Backlog, MEMORY_SEGMENT, type Place } from './backlog.ts';
import { type Batch, createBatch } from './batch.ts';

export interface UnderWayOptions {
  readonly backlog: Backlog;
  readonly journal: Journal;
  readonly createAbortController: () => AbortController;
  /** Writes events to the journal that it did not take before. Undefined where it still does not. */
  readonly secure: (events: EventBytes, holdMs?: number) => Promise<Range | undefined>;
}

/** What went back to the journal lately is known for as much, in bytes. */
const MOST_SHELVED_BYTES = 512 * 1024;

interface Shelved extends Range {
  readonly events: EventBytes;
  /** The index of the first of these. */
  readonly first: number;
}

/**
 * Batches under way. Those that are in memory alone, because the journal failed, are given to it once it works; those that
 * lie in what it is about to give up can be given to it again.
 */
export class UnderWay {
  readonly #options: UnderWayOptions;
  /** Those that wait to be sent, and were in memory alone when that began. */
  readonly left: Batch[] = [];
  /** Those that went back to the journal, the oldest first: should it lose them, they are still here. */
  #shelf: Shelved[] = [];
  #consent: AbortController;

  constructor(options: UnderWayOptions) {
    this.#options = options;
    this.#consent = options.createAbortController();
  }

  add(batch: Batch): void {
    this.#options.backlog.batches.add(batch);
  }

  /** A batch has met its end, or goes on in parts. */
  delete(batch: Batch): void {
    this.#options.backlog.batches.delete(batch);
    this.#forget(batch.range);
  }

  /** As `Backlog.putBack`. */
  putBack(batch: Batch, place?: Place): boolean {
    return this.#options.backlog.putBack(batch, place) && this.#shelve(batch);
  }

  /** A batch waits again, before all others: where the journal has it, or else here. */
  leave(batch: Batch): void {
    if (!this.putBack(batch, 'first')) this.left.push(batch);
  }

  /** Aborted once consent to send what is under way now is denied. */
  get denied(): AbortSignal {
    return this.#consent.signal;
  }

  /** Consent is denied: what is not in a request ends. Returns how many events of those ended here that no journal holds. */
  deny(): number {
    this.#consent.abort();
    this.#consent = this.#options.createAbortController();
    let count = 0;
    for (const batch of this.left.splice(0)) {
      this.#options.backlog.settle(batch);
      count += rangeLength(batch.range);
    }
    return count;
  }

  /** What of a range is here: in batches under way, and of those that wait again. */
  *known(range: Range): Generator<Reading> {
    yield* this.in(range.segment);
    yield* this.#waiting(range);
  }

  /** A range is gone from storage: what is known of it waits in memory alone. */
  lose(range: Range): void {
    const { backlog } = this.#options;
    const lost = [...this.#waiting(range)];
    this.#forget(range);
    for (const { events, range } of lost) {
      const batch = createBatch(events, backlog.takeLost(range));
      backlog.batches.add(batch);
      this.left.push(batch);
    }
  }

  *#waiting({ segment, ...range }: Range): Generator<Reading> {
    const waiting = this.#options.backlog.waitingIn(segment);
    // In their order, however they went back.
    for (const { events, first, ...shelved } of this.#shelf.toSorted((one, other) => one.from - other.from)) {
      if (shelved.segment !== segment) continue;
      for (const part of waiting) {
        const from = Math.max(part.from, shelved.from, range.from);
        const to = Math.min(part.to, shelved.to, range.to);
        if (from >= to) continue;
        const limit = { maxEvents: to - from, maxBytes: events.bytes.length };
        yield { events: sliceEvents(events, from - first, limit), range: { segment, from, to } };
      }
    }
  }

  #forget(range: Range): void {
    this.#shelf = this.#shelf.flatMap((shelved) =>
      shelved.segment === range.segment ? without(shelved, range) : [shelved],
    );
  }

  /** Gives to the journal what is in memory alone. */
  async secure(): Promise<void> {
    for (const batch of this.in(MEMORY_SEGMENT)) if (!(await this.secureOne(batch))) return;
  }

  /** Gives to the journal one that is in memory alone: before this returns, where there is room. False where that fails. */
  async secureOne(batch: Batch, holdMs?: number): Promise<boolean> {
    const { secure } = this.#options;
    // The journal may still read it when the service has taken it.
    batch.memory = undefined;
    const range = await secure(batch.events, holdMs);
    if (range === undefined) return false;
    await this.place(batch, range);
    return true;
  }

  /** The journal has a batch in another place, or has it now. Its end may have come meanwhile. */
  async place(batch: Batch, written: Range): Promise<void> {
    const { backlog, journal } = this.#options;
    if (!backlog.batches.has(batch)) return void (await journal.acknowledge(written).catch(() => undefined));
    backlog.moveInFlight(batch, written);
    const index = this.left.indexOf(batch);
    if (index < 0) return;
    // It waits where others may see to it now.
    this.left.splice(index, 1);
    this.leave(batch);
  }

  /** Writes what lies in a segment to another one. Returns how many bytes that are. */
  async rescue(segment: number): Promise<number> {
    const { journal } = this.#options;
    let bytes = 0;
    for (const batch of this.in(segment)) {
      batch.memory = undefined;
      await this.place(batch, await journal.append(batch.events));
      bytes += batch.events.bytes.length;
    }
    return bytes;
  }

  #shelve(batch: Batch): true {
    this.delete(batch);
    const { range, events } = batch;
    // A copy: what it lies in is used again.
    const copy = { ...events, bytes: new Uint8Array(events.bytes) };
    this.#shelf.push({ ...range, events: copy, first: range.from });
    let bytes = this.#shelf.reduce((total, other) => total + other.events.bytes.length, 0);
    while (bytes > MOST_SHELVED_BYTES) bytes -= this.#shelf.shift()?.events.bytes.length ?? bytes;
    return true;
  }

  /** Those that lie in a segment, also those that come while they are looked at: a batch may go on in parts. */
  *in(segment: number): Generator<Batch> {
    for (const batch of this.#options.backlog.batches) if (batch.range.segment === segment) yield batch;
  }
}
