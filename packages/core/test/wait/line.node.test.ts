import { describe, expect, it } from 'vitest';
import { encodeEvents, type Limit } from '../../src/base/event-bytes.ts';
import { VirtualClock } from '../../src/entries/testing/virtual-clock.ts';
import { MemoryJournal } from '../../src/keep/memory-journal.ts';
import { learn } from '../../src/parts/learn/learn.ts';
import { Epochs } from '../../src/tell/epochs.ts';
import { Line } from '../../src/wait/line.ts';
import { Parcel } from '../../src/wait/parcel.ts';
import { Places } from '../../src/wait/places.ts';
import { toTexts } from '../bench/event-texts.ts';
import { textWriter } from '../bench/text-writer.ts';

const ALL = { maxEvents: 100, maxBytes: 10_000 };

/** A line in which the order of each customer counts. */
function createLine(batch: Limit): { line: Line; journal: MemoryJournal } {
  const journal = new MemoryJournal(10_000, 10_000);
  const settings = {
    buffer: ALL,
    batch: { ...batch, maxWaitMs: 0 },
    ordering: 'per-customer',
    isOrdered: true,
  };
  const options = {
    ...{ settings, journal, text: textWriter, memory: textWriter.createMemory(), epochs: new Epochs() },
    ...{
      clock: new VirtualClock(),
      limits: learn({ emit: () => {} }, ALL),
      reporter: { storageFailed: () => {} },
    },
    denied: () => new AbortController().signal,
    ...{ isUrgent: () => false, sendsUnwritten: () => false, damaged: async () => {}, onDue: () => {} },
  };
  const line = new Line(options, false);
  return { line, journal };
}

describe('what is read of a stored parcel', () => {
  it('goes before the rest of it with all its parts', async () => {
    // Two events of 7 bytes and a comma fit.
    const { line, journal } = createLine({ maxEvents: 100, maxBytes: 16 });
    const { queue } = line;
    const texts = [1, 2, 3, 4, 5, 6].map((n) => `{"n":${n}}`);
    queue.recover(await journal.append(encodeEvents(texts, [0, 0, 0, 0, 0, 0])), 0);
    const [rest] = queue.old;
    const read = await line.next(100);
    const parts = [0, 1].map((from) => read?.cut({ from, to: from + 1 }));
    for (const part of parts.reverse()) if (part) queue.putBack(part, 'first');
    expect([...queue.old]).toEqual([...parts.reverse(), rest]);
  });

  it('goes before the rest of each of the parcels that it was read of, whatever part of it waits again', async () => {
    const { line, journal } = createLine(ALL);
    const { queue } = line;
    const range = await journal.append(
      encodeEvents(['{"n":0}', '{"n":1}', '{"n":2}', '{"n":3}', '{"n":4}'], [0, 0, 0, 0, 0]),
    );
    const stored = (from: number, to: number, lanes: number): void => {
      const parcel = new Parcel(new Places({ ...range, from, to }), 0, false);
      queue.old.push(Object.assign(parcel, { lanes }));
    };
    // Of a customer who comes first because an older event of theirs has gone.
    stored(2, 5, 1);
    stored(0, 2, 2);
    const read = await line.next(4);
    const [rest] = queue.old;
    const last = read?.cut({ from: 3, to: 4 });
    if (last) queue.putBack(last, 'first');
    expect([...queue.old]).toEqual([last, rest]);
  });

  it('is read again if some of it ended while a later reading failed', async () => {
    const { line, journal } = createLine(ALL);
    const { queue } = line;
    const texts = [0, 1, 2, 3, 4, 5].map((n) => `{"n":${n}}`);
    const range = await journal.append(encodeEvents(texts, [0, 0, 0, 0, 0, 0]));
    const gone = { ...range, to: range.from + 2 };
    for (const one of [gone, { ...range, from: range.from + 4 }]) queue.recover(one, 0);
    const read = journal.read.bind(journal);
    let readings = 0;
    journal.read = async (...given) => {
      readings += 1;
      if (readings !== 2) return read(...given);
      queue.end(queue.parcels(), ({ places }) => places.find(gone));
      throw new Error('the disk fails');
    };
    const parcel = (await line.next(100)) ?? expect.fail();
    expect([toTexts(parcel.events), parcel.places.ranges[0]?.from]).toEqual([texts.slice(4), range.from + 4]);
  });
});

it('what is written stays in memory until it fills a batch, however small its parcels are', async () => {
  const { line, journal } = createLine(ALL);
  const { queue } = line;
  for (let n = 0; n < 10; n += 1) {
    queue.push(`{"n":${n}}`, 0, '');
    const handed = queue.hand(ALL);
    if (handed) handed.placed(await journal.append(handed.events));
  }
  const limit = { maxEvents: 100, maxBytes: 8_192 };
  const left = [71, 69].map((bytes) => {
    queue.leaveToJournal(limit, bytes);
    return queue.old.count;
  });
  expect(left).toEqual([0, 1]);
});
