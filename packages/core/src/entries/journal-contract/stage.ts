import { platform } from '#platform';
import { type EventBytes, encodeEvents, type Limit, splitEvents } from '../../base/event-bytes.ts';
import { type Range, rangeLength } from '../../base/range.ts';
import type { Journal, JournalObserver } from '../../keep/journal.ts';

export const ALL: Limit = { maxEvents: 1_000_000, maxBytes: 1_000_000_000 };

const MOST_CHARACTERS = 500;

/** Throws an AssertionError, as test runners show it, unless both are the same JSON. The order of fields does not count. */
export function equal(what: string, actual: unknown, expected: unknown): void {
  const [got, wanted] = [textOf(actual), textOf(expected)];
  if (got === wanted) return;
  const message = `${what}: expected ${wanted.slice(0, MOST_CHARACTERS)}, got ${got.slice(0, MOST_CHARACTERS)}`;
  fail(message, { actual, expected });
}

export function ensure(isTrue: boolean, what: string): void {
  if (!isTrue) fail(what);
}

function fail(message: string, values: object = {}): never {
  throw Object.assign(new Error(message), { name: 'AssertionError', ...values });
}

function textOf(value: unknown): string {
  const sorted = (_key: string, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner;
  return JSON.stringify(value, sorted) ?? String(value);
}

/** Texts as a group, in the kind of bytes that the ring buffer has. */
export function group(texts: readonly string[]): EventBytes {
  const { bytes: encoded, ends } = encodeEvents(texts, []);
  const { length } = encoded;
  const bytes = platform.text.createMemory().take(length).subarray(0, length);
  bytes.set(encoded);
  return { bytes, ends };
}

export function textsOf(events: EventBytes): string[] {
  return splitEvents(events).map((bytes) => new TextDecoder().decode(bytes));
}

export async function readAll(
  journal: Journal,
  ranges: readonly Range[],
  limit: Limit = ALL,
): Promise<string[]> {
  const found: string[] = [];
  for (const range of ranges) {
    for (let from = range.from; from < range.to; ) {
      const { range: read, events } = await journal.read({ ...range, from }, limit);
      equal('start of a reading', [read.segment, read.from], [range.segment, from]);
      const isWithin = read.to > from && read.to <= range.to;
      ensure(isWithin, `a reading from ${from} to ${range.to} ends at ${read.to}`);
      ensure([0, rangeLength(read)].includes(events.ends.length), 'a reading has all its events, or none');
      found.push(...textsOf(events));
      from = read.to;
    }
  }
  return found;
}

/** An observer for what does not matter. */
export const NOBODY: JournalObserver = { recovered() {}, settled() {}, damaged() {}, failed() {} };

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

  /** Makes a journal and opens it. Also returns what it found. */
  async open(): Promise<{ journal: Journal; found: readonly Range[] }> {
    const journal = this.create();
    const found: Range[] = [];
    await journal.open({ ...NOBODY, recovered: (range) => found.push(range) });
    return { journal, found };
  }

  async close(): Promise<void> {
    for (const journal of this.#journals) await journal.close();
  }
}
