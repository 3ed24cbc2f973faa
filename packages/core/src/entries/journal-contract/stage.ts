import { platform } from '#platform';
import { type EventBytes, splitEvents } from '../../base/event-bytes.ts';
import type { Fate } from '../../base/fate.ts';
import { type Range, rangeLength } from '../../base/range.ts';
import type { Journal, JournalObserver } from '../../keep/journal.ts';
import { ensure, equal } from './assertions.ts';

export const ALL = { maxEvents: 1_000_000, maxBytes: 1_000_000_000 } as const;

const decoder = new TextDecoder();
const encoder = new TextEncoder();

/** Texts as a group, in the kind of bytes that the ring buffer has. */
export function group(texts: readonly string[]): EventBytes {
  let end = -1;
  const ends = texts.map((text) => {
    end += 1 + encoder.encode(text).length;
    return end;
  });
  const length = Math.max(0, end);
  const bytes = platform.text.createMemory().take(length).subarray(0, length);
  bytes.set(encoder.encode(texts.join(',')));
  return { bytes, ends: Uint32Array.from(ends) };
}

/** The texts of a group. */
export function textsOf(events: EventBytes): string[] {
  return splitEvents(events).map((bytes) => decoder.decode(bytes));
}

/** Reads ranges completely. */
export async function readAll(
  journal: Journal,
  ranges: readonly Range[],
  limit: { readonly maxEvents: number; readonly maxBytes: number } = ALL,
): Promise<string[]> {
  const found: string[] = [];
  for (const range of ranges) {
    for (let from = range.from; from < range.to; ) {
      const { range: read, events } = await journal.read({ ...range, from }, limit);
      equal('start of a reading', [read.segment, read.from], [range.segment, from]);
      ensure(
        read.to > from && read.to <= range.to,
        `a reading from ${from} to ${range.to} ends at ${read.to}`,
      );
      ensure([0, rangeLength(read)].includes(events.ends.length), 'a reading has all its events, or none');
      found.push(...textsOf(events));
      from = read.to;
    }
  }
  return found;
}

/** An observer that records all calls. */
export class Witness implements JournalObserver {
  readonly ranges: Range[] = [];
  readonly settlements: { range: Range; fate: Fate }[] = [];
  readonly damages: { place: string; bytes: number }[] = [];
  readonly failures: Error[] = [];

  recovered(range: Range): void {
    this.ranges.push(range);
  }

  settled(range: Range, fate: Fate): void {
    this.settlements.push({ range, fate });
  }

  damaged(place: string, bytes: number): void {
    this.damages.push({ place, bytes });
  }

  failed(error: Error): void {
    this.failures.push(error);
  }
}

/** The journals of one case, in places of its own. */
export class Stage {
  readonly #create: (place: string) => Journal;
  readonly #journals: Journal[] = [];
  readonly #id = Math.random().toString(36).slice(2);

  constructor(create: (place: string) => Journal) {
    this.#create = create;
  }

  /** Makes a journal. A second one in the same place stands for the next process. */
  create(place: string = 'a'): Journal {
    const journal = this.#create(`contract-${this.#id}-${place}`);
    this.#journals.push(journal);
    return journal;
  }

  async open(place?: string): Promise<{ journal: Journal; witness: Witness }> {
    const journal = this.create(place);
    const witness = new Witness();
    await journal.open(witness);
    return { journal, witness };
  }

  async close(): Promise<void> {
    for (const journal of this.#journals) await journal.close();
  }
}
