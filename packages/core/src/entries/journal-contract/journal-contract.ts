import { rangeLength } from '../../base/range.ts';
import type { Journal } from '../../keep/journal.ts';
import { ALL, ensure, equal, group, NOBODY, readAll, Stage, textsOf } from './stage.ts';

/** How the contract makes journals of one implementation. */
export interface JournalSubject {
  /** Makes a journal in the place of this name. A second one in the same place stands for the next process. */
  create(place: string): Journal;
  /** Whether the next process finds what this one left. Default: true. */
  readonly survives?: boolean;
  /** Whether processes that run at the same time share their events. Default: false. */
  readonly isShared?: boolean;
}

/** One thing that every journal must do. */
interface JournalCase {
  readonly name: string;
  /** Rejects with an AssertionError if the journal does not do it. Closes the journals that it opened. */
  readonly run: () => Promise<void>;
}

type Cases = Readonly<Record<string, (stage: Stage) => Promise<void>>>;

/** Bytes like Node's Buffer: a slice is not a copy. */
class Viewing extends Uint8Array {
  override slice(start?: number, end?: number): Uint8Array<ArrayBuffer> {
    return this.subarray(start, end) as Uint8Array<ArrayBuffer>;
  }
}

const numbered = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => JSON.stringify({ number: from + index, text: 'ä€😀 \u2028' }));

/**
 * What every journal must do, as cases for any test runner.
 *
 * @example
 * const cases = journalContract({ create: (place) => new MyJournal(join(directory, place)) });
 * for (const { name, run } of cases) it(name, run);
 */
export function journalContract({
  create,
  survives = true,
  isShared = false,
}: JournalSubject): JournalCase[] {
  const cases: Cases = { ...ALWAYS, ...(survives && LATER), ...(survives && !isShared && APART) };
  return Object.entries(cases).map(([name, check]) => ({
    name,
    async run() {
      const stage = new Stage(create);
      try {
        await check(stage);
      } finally {
        await stage.close();
      }
    },
  }));
}

const ALWAYS: Cases = {
  async 'finds nothing in a new place'(stage) {
    const { journal, found } = await stage.open();
    equal('ranges', found, []);
    equal('bytes', journal.bytes, 0);
  },

  async 'reads back what was appended, byte for byte and in order'(stage) {
    const { journal } = await stage.open();
    const ranges = [
      await journal.append(group(numbered(0, 3))),
      await journal.append(group(numbered(3, 250))),
    ];
    equal('lengths of the ranges', ranges.map(rangeLength), [3, 250]);
    equal('events', await readAll(journal, ranges), numbered(0, 253));
  },

  async 'gives neighbouring groups neighbouring numbers, so that they can be read as one range'(stage) {
    const { journal } = await stage.open();
    const first = await journal.append(group(numbered(0, 3)));
    const second = await journal.append(group(numbered(3, 2)));
    equal('second range', second, { segment: first.segment, from: first.to, to: first.to + 2 });
    equal('events', await readAll(journal, [{ ...first, to: second.to }]), numbered(0, 5));
  },

  async 'copies what it is given, since the ring is written over'(stage) {
    const { journal } = await stage.open();
    const { bytes, ...rest } = group(numbered(0, 3));
    const events = { bytes: new Viewing(bytes), ...rest };
    const range = await journal.append(events);
    events.bytes.fill(0);
    equal('events', await readAll(journal, [range]), numbered(0, 3));
  },

  async 'takes appends that overlap, in the order of the calls'(stage) {
    const { journal } = await stage.open();
    const order: number[] = [];
    const appends = [0, 1, 2].map(async (number) => {
      const range = await journal.append(group(numbered(number * 10, 10)));
      order.push(number);
      return range;
    });
    equal('events', await readAll(journal, await Promise.all(appends)), numbered(0, 30));
    equal('order', order, [0, 1, 2]);
  },

  async 'takes an append before open() has resolved'(stage) {
    const journal = stage.create();
    const opening = journal.open(NOBODY);
    const range = await journal.append(group(numbered(0, 2)));
    await opening;
    equal('events', await readAll(journal, [range]), numbered(0, 2));
  },

  async 'reads within limits, and an event above them alone'(stage) {
    const { journal } = await stage.open();
    const range = await journal.append(group(['1', '2', `"${'x'.repeat(1000)}"`, '4']));
    const two = await journal.read(range, { maxEvents: 2, maxBytes: 1_000 });
    equal('events', textsOf(two.events), ['1', '2']);
    const large = await journal.read({ ...range, from: range.from + 2 }, { maxEvents: 10, maxBytes: 10 });
    equal('number of events above the limit', large.events.ends.length, 1);
    for (const maxBytes of [3, -5])
      equal('number of events', (await readAll(journal, [range], { maxEvents: 10, maxBytes })).length, 4);
  },

  async 'reads from the middle of what was appended, and back again'(stage) {
    const { journal } = await stage.open();
    const range = await journal.append(group(numbered(0, 100)));
    equal('middle', await readAll(journal, [{ ...range, from: range.from + 50 }]), numbered(50, 50));
    equal('events', await readAll(journal, [range]), numbered(0, 100));
  },

  async 'knows when each event was accepted, and of which that is not known'(stage) {
    const { journal } = await stage.open();
    const times = [1_000, 1_000, 2_500].map((ms) => Date.UTC(2026, 0, 1) + ms);
    const known = await journal.append({ ...group(numbered(0, 3)), times: Float64Array.from(times) });
    const unknown = await journal.append(group(numbered(3, 1)));
    equal('times', [...((await journal.read(known, ALL)).events.times ?? [])], times);
    const { events } = await journal.read(unknown, ALL);
    ensure(Number.isNaN(events.times?.[0] ?? Number.NaN), 'a time that is not known is NaN, or left out');
  },

  async 'takes acknowledgements in any order, and keeps the rest readable'(stage) {
    const { journal } = await stage.open();
    const range = await journal.append(group(numbered(0, 10)));
    await journal.acknowledge({ ...range, from: range.from + 5, to: range.from + 7 });
    await journal.acknowledge({ ...range, to: range.from + 2 });
    const left = { ...range, from: range.from + 2, to: range.from + 5 };
    equal('events', await readAll(journal, [left]), numbered(2, 3));
  },

  async 'refuses an append after close()'(stage) {
    const { journal } = await stage.open();
    await journal.close();
    const error: unknown = await journal.append(group(numbered(0, 1))).catch((reason) => reason);
    equal('code of the error', Object(error).code, 'SLUICE_CLOSED');
  },

  async 'can be closed twice, and without having been opened'(stage) {
    const { journal } = await stage.open();
    await journal.close();
    await journal.close();
    await stage.create('never opened').close();
  },
};

const LATER: Cases = {
  async 'hands on what was not acknowledged to the next process, and nothing else'(stage) {
    const first = await stage.open();
    await first.journal.append(group(numbered(0, 10)));
    await first.journal.acknowledge(await first.journal.append(group(numbered(10, 5))));
    await first.journal.close();

    const second = await stage.open();
    equal('events', await readAll(second.journal, second.found), numbered(0, 10));
    const { bytes } = second.journal;
    ensure(bytes >= numbered(0, 10).join().length, `10 events take more than ${bytes} bytes`);
  },

  async 'hands on nothing once all is acknowledged, over several processes'(stage) {
    const first = await stage.open();
    await first.journal.append(group(numbered(0, 10)));
    await first.journal.close();
    const second = await stage.open();
    for (const range of second.found) await second.journal.acknowledge(range);
    await second.journal.close();
    const third = await stage.open();
    equal('ranges', third.found, []);
    equal('bytes', third.journal.bytes, 0);
  },

  async 'hands on what two processes left, each in its order'(stage) {
    for (const from of [0, 100]) {
      const { journal } = await stage.open();
      await journal.append(group(numbered(from, 5)));
      await journal.close();
    }
    const { journal, found } = await stage.open();
    const texts = await readAll(journal, found);
    equal('events', texts.sort(), [...numbered(0, 5), ...numbered(100, 5)].sort());
  },
};

const APART: Cases = {
  async 'leaves alone what a process that has not ended holds'(stage) {
    const first = await stage.open();
    const range = await first.journal.append(group(numbered(0, 5)));
    const second = await stage.open();
    equal('ranges', second.found, []);
    equal('events', await readAll(first.journal, [range]), numbered(0, 5));
  },
};
