import { describe, expect, it } from 'vitest';
import { rangeLength } from '../../../src/base/range.ts';
import { VirtualClock } from '../../../src/entries/testing/virtual-clock.ts';
import type { Journal } from '../../../src/keep/journal.ts';
import { MemoryJournal } from '../../../src/keep/memory-journal.ts';
import { readLetter } from '../../../src/parts/dead-letters/dead-letter.ts';
import { LetterArchive } from '../../../src/parts/dead-letters/letter-archive.ts';
import { Books } from '../../../src/tell/books.ts';
import { Reporter } from '../../../src/tell/reporter.ts';
import { toEventBytes } from '../../bench/event-texts.ts';

const MAX_BYTES = 4_096;
const refusal = { status: 422, excerpt: 'no' };

/** A journal whose events stay for the next one who opens it. */
class Place extends MemoryJournal {
  failsToOpen = false;
  failsToSync = false;
  opened = 0;
  readonly #here: { segment: number; from: number; to: number }[] = [];

  override async open(observer?: Parameters<Journal['open']>[0]): Promise<void> {
    if (this.failsToOpen) throw new Error('it does not open');
    this.opened += 1;
    for (const range of this.#here) observer?.recovered(range);
  }

  override async append(events: Parameters<Journal['append']>[0]): ReturnType<Journal['append']> {
    const range = await super.append(events);
    this.#here.push(range);
    return range;
  }

  override async acknowledge(range: Parameters<Journal['acknowledge']>[0]): Promise<void> {
    await super.acknowledge(range);
    const at = this.#here.findIndex(({ segment, from }) => segment === range.segment && from === range.from);
    this.#here.splice(at, 1);
  }

  override async evictOldest(): Promise<number | undefined> {
    const gone = await super.evictOldest();
    for (const range of this.#here.filter(({ segment }) => segment === gone))
      this.#here.splice(this.#here.indexOf(range), 1);
    return gone;
  }

  override async sync(): Promise<void> {
    if (this.failsToSync) throw new Error('it does not sync');
  }

  override async close(): Promise<void> {}

  /** The numbers of the stored events. */
  async numbers(): Promise<unknown[]> {
    const found: unknown[] = [];
    for (const range of this.#here) {
      const { events } = await this.read(range, { maxEvents: rangeLength(range), maxBytes: MAX_BYTES });
      found.push(readLetter(new TextDecoder().decode(events.bytes))?.letter.event.n);
    }
    return found;
  }
}

interface Bench {
  readonly place: Place;
  readonly keeper: LetterArchive;
  readonly dropped: number[];
  readonly keep: (from: number, to: number, pad?: string) => Promise<void>;
}

function create(place = new Place(1 << 20)): Bench {
  const dropped: number[] = [];
  const reporter = new Reporter(new Books(), new VirtualClock());
  reporter.on('deadLettersDropped', ({ count }) => dropped.push(count));
  const keeper = new LetterArchive({
    ...{ journal: place, clock: new VirtualClock(), reporter },
    ...{ maxBytes: MAX_BYTES, maxAgeMs: Number.POSITIVE_INFINITY },
  });
  const keep = async (from: number, to: number, pad = ''): Promise<void> => {
    for (let n = from; n < to; n += 1) {
      await keeper.keep({ events: toEventBytes([JSON.stringify({ n, pad })]) }, refusal);
    }
  };
  return { place, keeper, dropped, keep };
}

describe('dead letters that nobody looks at', () => {
  it('are kept, and opened for with the first of them', async () => {
    const { place, keeper, keep } = create();
    expect([place.opened, keeper.kept.count, keeper.journal.bytes]).toEqual([0, 0, 0]);
    await keep(0, 3);
    expect(await place.numbers()).toEqual([0, 1, 2]);
    expect([place.opened, keeper.kept.count, keeper.journal.bytes]).toEqual([1, 3, place.bytes]);
  });

  it('stay within their bound: the oldest go, those of earlier lives first', async () => {
    const first = create();
    await first.keep(0, 20);
    const { place, keeper, dropped, keep } = create(first.place);
    await keep(20, 40);
    expect(place.bytes).toBeLessThanOrEqual(MAX_BYTES);
    expect(await place.numbers()).toEqual(
      Array.from({ length: keeper.kept.count }, (_, index) => 40 - keeper.kept.count + index),
    );
    const gone = [...first.dropped, ...dropped].reduce((sum, count) => sum + count, 0);
    expect(gone + keeper.kept.count).toBe(40);
  });

  it('do not go for one that could never fit', async () => {
    const { place, dropped, keep } = create();
    await keep(0, 2);
    await keep(2, 3, 'x'.repeat(MAX_BYTES));
    expect(await place.numbers()).toEqual([0, 1]);
    expect(dropped).toEqual([1]);
  });

  it('are refused where storage fails, and kept when it works again', async () => {
    const { place, keeper, keep } = create();
    place.failsToOpen = true;
    await expect(keep(0, 1)).rejects.toThrow('it does not open');
    place.failsToOpen = false;
    place.failsToSync = true;
    await expect(keep(0, 1)).rejects.toThrow('it does not sync');
    expect([keeper.kept.count, await place.numbers()]).toEqual([0, []]);
    place.failsToSync = false;
    await keep(0, 1);
    expect([keeper.kept.count, await place.numbers()]).toEqual([1, [0]]);
  });
});
