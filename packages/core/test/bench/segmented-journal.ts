import { StorageError } from '../../src/base/errors/storage-error.ts';
import { type EventBytes, type Limit, NO_EVENTS, sliceEvents } from '../../src/base/event-bytes.ts';
import type { Range } from '../../src/base/range.ts';
import type { Journal, JournalObserver, Reading } from '../../src/keep/journal.ts';
import { toTexts } from './event-texts.ts';

/** Bytes that an event takes besides its text. */
const OVERHEAD_BYTES = 32;

/** A journal in memory in which each group is a segment. A test sets the free space of its disk. */
export class SegmentedJournal implements Journal {
  readonly kind = 'segmented';
  readonly survives = true;
  readonly groupLimit: Limit = { maxEvents: 4096, maxBytes: 512 * 1024 };
  /** The evicted segments, in order. */
  readonly evicted: number[] = [];
  /** How often the free space was requested. */
  looks = 0;
  disk: () => Promise<{ freeBytes: number; totalBytes: number }> = async () => ({
    freeBytes: Number.MAX_SAFE_INTEGER,
    totalBytes: Number.MAX_SAFE_INTEGER,
  });
  sharing: Journal['sharing'];
  failAppends = false;
  /** The tracker, once it has opened the journal. */
  observer: JournalObserver | undefined;
  readonly #segments = new Map<number, EventBytes>();
  #last = 0;

  /** The events of all remaining segments. */
  get texts(): string[] {
    return [...this.#segments.values()].flatMap(toTexts);
  }

  get bytes(): number {
    let bytes = 0;
    for (const { bytes: text, ends } of this.#segments.values())
      bytes += text.length + OVERHEAD_BYTES * ends.length;
    return bytes;
  }

  async open(observer: JournalObserver): Promise<void> {
    this.observer = observer;
  }

  async append({ bytes, ends, times }: EventBytes): Promise<Range> {
    if (this.failAppends) throw new StorageError('the scripted failure of append');
    this.#last += 1;
    // Not `slice()`: on a Buffer it does not copy.
    const copy = new Uint8Array(bytes);
    this.#segments.set(this.#last, { bytes: copy, ends: ends.slice(), times: times?.slice() });
    return { segment: this.#last, from: 0, to: ends.length };
  }

  async read(range: Range, limit: Limit): Promise<Reading> {
    const segment = this.#segments.get(range.segment);
    if (segment === undefined) return { events: NO_EVENTS, range };
    const maxEvents = Math.min(limit.maxEvents, range.to - range.from);
    const events = sliceEvents(segment, range.from, { ...limit, maxEvents });
    return { events, range: { ...range, to: range.from + events.ends.length } };
  }

  /** Clears the storage without telling the journal's user. */
  clear(): void {
    this.#segments.clear();
  }

  /** A segment disappears from storage, and the tracker is told so. */
  vanish(segment: number): void {
    this.#segments.delete(segment);
    this.observer?.vanished?.({ segment, from: 0, to: Number.POSITIVE_INFINITY });
  }

  async acknowledge(_range: Range): Promise<void> {}

  async sync(): Promise<void> {}

  async evictOldest(rescue?: (segment: number) => Promise<void>): Promise<number | undefined> {
    for (const [number] of this.#segments) {
      await rescue?.(number);
      this.#segments.delete(number);
      this.evicted.push(number);
      return number;
    }
    return undefined;
  }

  space(): Promise<{ freeBytes: number; totalBytes: number }> {
    this.looks += 1;
    return this.disk();
  }

  async close(): Promise<void> {}
}
