import { afterEach, describe, expect, it } from 'vitest';
import { platform } from '#platform';
import type { EventBytes } from '../../src/base/event-bytes.ts';
import type { Fate } from '../../src/base/fate.ts';
import { type Range, rangeLength } from '../../src/base/range.ts';
import type { Journal, JournalObserver } from '../../src/keep/journal.ts';

/** How the suite makes journals of one implementation. */
export interface JournalSubject {
  /** Makes a journal in the place called `name`. A second one in the same place stands for the next process. */
  create(name: string): Journal;
  /** Whether the next process finds what this one left. */
  readonly survives: boolean;
  /** Whether processes that run at the same time share their events. */
  readonly isShared?: boolean;
}

const ALL = { maxEvents: 1_000_000, maxBytes: 1_000_000_000 };
const decoder = new TextDecoder();

/** Texts as a group, in the kind of bytes that the ring buffer has. */
export function group(texts: readonly string[]): EventBytes {
  const encoder = new TextEncoder();
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
function texts({ bytes, ends }: EventBytes): string[] {
  return [...ends].map((end, index) => {
    const start = index === 0 ? 0 : (ends[index - 1] ?? 0) + 1;
    return decoder.decode(bytes.subarray(start, end));
  });
}

/** Bytes like Node's Buffer: a slice is not a copy. */
class Viewing extends Uint8Array {
  override slice(start?: number, end?: number): Uint8Array<ArrayBuffer> {
    return this.subarray(start, end) as Uint8Array<ArrayBuffer>;
  }
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

/** Reads ranges completely. */
export async function readAll(journal: Journal, ranges: readonly Range[], limit = ALL): Promise<string[]> {
  const found: string[] = [];
  for (const range of ranges) {
    for (let from = range.from; from < range.to; ) {
      const reading = await journal.read({ ...range, from }, limit);
      expect(reading.range).toMatchObject({ segment: range.segment, from });
      expect(reading.range.to).toBeGreaterThan(from);
      expect(reading.range.to).toBeLessThanOrEqual(range.to);
      expect([0, rangeLength(reading.range)]).toContain(reading.events.ends.length);
      found.push(...texts(reading.events));
      from = reading.range.to;
    }
  }
  return found;
}

const numbered = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => JSON.stringify({ number: from + index, text: 'ä€😀 \u2028' }));

/** What every journal must do, wherever it keeps its events. */
export function describeJournal(name: string, subject: JournalSubject): void {
  describe(`${name}, as a journal`, () => {
    const open: Journal[] = [];
    let places = 0;

    async function start(place: string): Promise<{ journal: Journal; witness: Witness }> {
      const journal = subject.create(place);
      open.push(journal);
      const witness = new Witness();
      await journal.open(witness);
      return { journal, witness };
    }

    function newPlace(): string {
      places += 1;
      return `${name}-${places}-${Math.random().toString(36).slice(2)}`;
    }

    afterEach(async () => {
      for (const journal of open.splice(0)) await journal.close();
    });

    it('finds nothing in a new place', async () => {
      const { journal, witness } = await start(newPlace());
      expect(witness.ranges).toEqual([]);
      expect(journal.bytes).toBe(0);
    });

    it('reads back what was appended, byte for byte and in order', async () => {
      const { journal } = await start(newPlace());
      const ranges = [
        await journal.append(group(numbered(0, 3))),
        await journal.append(group(numbered(3, 250))),
      ];
      expect(ranges.map(rangeLength)).toEqual([3, 250]);
      expect(await readAll(journal, ranges)).toEqual(numbered(0, 253));
    });

    it('gives neighbouring groups neighbouring numbers, so that they can be read as one range', async () => {
      const { journal } = await start(newPlace());
      const first = await journal.append(group(numbered(0, 3)));
      const second = await journal.append(group(numbered(3, 2)));
      expect(second).toEqual({ segment: first.segment, from: first.to, to: first.to + 2 });
      expect(await readAll(journal, [{ ...first, to: second.to }])).toEqual(numbered(0, 5));
    });

    it('copies what it is given, since the ring is written over', async () => {
      const { journal } = await start(newPlace());
      const { bytes, ...rest } = group(numbered(0, 3));
      const events = { bytes: new Viewing(bytes), ...rest };
      const range = await journal.append(events);
      events.bytes.fill(0);
      expect(await readAll(journal, [range])).toEqual(numbered(0, 3));
    });

    it('takes appends that overlap, in the order of the calls', async () => {
      const { journal } = await start(newPlace());
      const order: number[] = [];
      const appends = [0, 1, 2].map(async (number) => {
        const range = await journal.append(group(numbered(number * 10, 10)));
        order.push(number);
        return range;
      });
      expect(await readAll(journal, await Promise.all(appends))).toEqual(numbered(0, 30));
      expect(order).toEqual([0, 1, 2]);
    });

    it('takes an append before open() has resolved', async () => {
      const journal = subject.create(newPlace());
      open.push(journal);
      const opening = journal.open(new Witness());
      const range = await journal.append(group(numbered(0, 2)));
      await opening;
      expect(await readAll(journal, [range])).toEqual(numbered(0, 2));
    });

    it('reads within limits, and an event above them alone', async () => {
      const { journal } = await start(newPlace());
      const range = await journal.append(group(['1', '2', `"${'x'.repeat(1000)}"`, '4']));
      const two = await journal.read(range, { maxEvents: 2, maxBytes: 1_000 });
      expect(texts(two.events)).toEqual(['1', '2']);
      const large = await journal.read({ ...range, from: range.from + 2 }, { maxEvents: 10, maxBytes: 10 });
      expect(large.events.ends).toHaveLength(1);
      expect(await readAll(journal, [range], { maxEvents: 10, maxBytes: 3 })).toHaveLength(4);
      expect(await readAll(journal, [range], { maxEvents: 10, maxBytes: -5 })).toHaveLength(4);
    });

    it('reads from the middle of what was appended, and back again', async () => {
      const { journal } = await start(newPlace());
      const range = await journal.append(group(numbered(0, 100)));
      const middle = { ...range, from: range.from + 50 };
      expect(await readAll(journal, [middle])).toEqual(numbered(50, 50));
      expect(await readAll(journal, [range])).toEqual(numbered(0, 100));
    });

    it('knows when each event was accepted, and of which that is not known', async () => {
      const { journal } = await start(newPlace());
      const times = [1_000, 1_000, 2_500].map((ms) => Date.UTC(2026, 0, 1) + ms);
      const known = await journal.append({ ...group(numbered(0, 3)), times: Float64Array.from(times) });
      const unknown = await journal.append(group(numbered(3, 1)));
      expect([...((await journal.read(known, ALL)).events.times ?? [])]).toEqual(times);
      const { events } = await journal.read(unknown, ALL);
      expect(events.times?.[0] ?? Number.NaN).toBeNaN();
    });

    it('takes acknowledgements in any order, and keeps the rest readable', async () => {
      const { journal } = await start(newPlace());
      const range = await journal.append(group(numbered(0, 10)));
      await journal.acknowledge({ ...range, from: range.from + 5, to: range.from + 7 });
      await journal.acknowledge({ ...range, to: range.from + 2 });
      const left = { ...range, from: range.from + 2, to: range.from + 5 };
      expect(await readAll(journal, [left])).toEqual(numbered(2, 3));
    });

    it('refuses an append after close()', async () => {
      const { journal } = await start(newPlace());
      await journal.close();
      await expect(journal.append(group(numbered(0, 1)))).rejects.toMatchObject({ code: 'SLUICE_CLOSED' });
    });

    it('can be closed twice, and without having been opened', async () => {
      const { journal } = await start(newPlace());
      await journal.close();
      await journal.close();
      await subject.create(newPlace()).close();
    });

    if (!subject.survives) return;

    describe('from life to life', () => {
      it('hands on what was not acknowledged, and nothing else', async () => {
        const place = newPlace();
        const first = await start(place);
        const range = await first.journal.append(group(numbered(0, 10)));
        const done = await first.journal.append(group(numbered(10, 5)));
        await first.journal.acknowledge(done);
        await first.journal.close();

        const second = await start(place);
        expect(await readAll(second.journal, second.witness.ranges)).toEqual(numbered(0, 10));
        expect(rangeLength(range)).toBe(10);
        expect(second.journal.bytes).toBeGreaterThanOrEqual(numbered(0, 10).join().length);
      });

      it('hands on nothing once all is acknowledged, over several lives', async () => {
        const place = newPlace();
        const first = await start(place);
        await first.journal.append(group(numbered(0, 10)));
        await first.journal.close();
        const second = await start(place);
        for (const range of second.witness.ranges) await second.journal.acknowledge(range);
        await second.journal.close();
        const third = await start(place);
        expect(third.witness.ranges).toEqual([]);
        expect(third.journal.bytes).toBe(0);
      });

      it('hands on what two lives left, each in its order', async () => {
        const place = newPlace();
        for (const from of [0, 100]) {
          const { journal } = await start(place);
          await journal.append(group(numbered(from, 5)));
          await journal.close();
        }
        const { journal, witness } = await start(place);
        const found = (await readAll(journal, witness.ranges)).sort();
        expect(found).toEqual([...numbered(0, 5), ...numbered(100, 5)].sort());
      });

      it.skipIf(subject.isShared)('leaves alone what a life that has not ended holds', async () => {
        const place = newPlace();
        const first = await start(place);
        const range = await first.journal.append(group(numbered(0, 5)));
        const second = await start(place);
        expect(second.witness.ranges).toEqual([]);
        expect(await readAll(first.journal, [range])).toEqual(numbered(0, 5));
      });
    });
  });
}
