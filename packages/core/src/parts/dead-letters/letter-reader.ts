import { type Limit, splitEvents } from '../../base/event-bytes.ts';
import type { Range } from '../../base/range.ts';
import { Places } from '../../wait/places.ts';
import type { Shelf } from '../shelf.ts';

/** A letter as it is stored. */
export interface StoredLetter {
  readonly range: Range;
  readonly text: Uint8Array;
}

/** The part of a segment that is still to be read. */
interface Span {
  from: number;
  readonly to: number;
}

/** Reads all letters that are stored when it is created, a page at a time. Others may come and go meanwhile. */
export class LetterReader {
  readonly #shelf: Shelf;
  readonly #page: Limit;
  readonly #spans = new Map<number, Span>();

  constructor(shelf: Shelf, page: Limit) {
    this.#shelf = shelf;
    this.#page = page;
    for (const { segment, to } of shelf.kept.ranges) this.#spans.set(segment, { from: 0, to });
  }

  /** The next letters, oldest first; none at the end. */
  async next(): Promise<StoredLetter[]> {
    const { maxEvents, maxBytes } = this.#page;
    const letters: StoredLetter[] = [];
    let bytes = 0;
    for (const { segment, from, to } of this.#shelf.kept.ranges) {
      const span = this.#spans.get(segment);
      if (span === undefined) continue;
      span.from = Math.max(span.from, from);
      while (span.from < Math.min(to, span.to)) {
        if (letters.length >= maxEvents) return letters;
        const { events, range } = await this.#shelf.read(
          { segment, from: span.from, to: Math.min(to, span.to) },
          { maxEvents: maxEvents - letters.length, maxBytes: maxBytes - bytes },
        );
        for (const text of splitEvents(events)) {
          bytes += text.length;
          if (letters.length > 0 && bytes > maxBytes) return letters;
          letters.push({
            range: { segment, from: span.from, to: span.from + 1 },
            text: new Uint8Array(text),
          });
          span.from += 1;
        }
        span.from = range.to;
      }
    }
    return letters;
  }

  /** Deletes letters that were read together. */
  async drop(letters: readonly StoredLetter[]): Promise<void> {
    const list = new Places();
    for (const { range } of letters) list.add(range);
    const gone = list.ranges;
    const left = new Places();
    let next = 0;
    // One pass, because `cut` costs one for each range. The letters are in the same order as the ranges.
    for (const kept of this.#shelf.kept.ranges) {
      let { from } = kept;
      for (let range = gone[next]; range?.segment === kept.segment && range.from < kept.to; ) {
        left.add({ ...kept, from, to: Math.max(from, range.from) });
        from = Math.max(from, Math.min(range.to, kept.to));
        if (range.to > kept.to) break;
        next += 1;
        range = gone[next];
      }
      left.add({ ...kept, from });
    }
    this.#shelf.kept = left;
    await Promise.all(gone.map((range) => this.#shelf.journal.acknowledge(range)));
  }
}
