import { describe, expect, it } from 'vitest';
import { encodeEvents } from '../../src/base/event-bytes.ts';
import { VirtualClock } from '../../src/entries/testing/virtual-clock.ts';
import { MemoryJournal } from '../../src/keep/memory-journal.ts';
import { learn } from '../../src/parts/learn/learn.ts';
import { Epochs } from '../../src/tell/epochs.ts';
import { Line } from '../../src/wait/line.ts';
import { storedParcel } from '../../src/wait/parcel.ts';
import { textWriter } from '../bench/text-writer.ts';

const ALL = { maxEvents: 100, maxBytes: 10_000 };

/** A line in which the order of each customer counts. */
function createLine(): { line: Line; journal: MemoryJournal } {
  const journal = new MemoryJournal(10_000, 10_000);
  const line = new Line({
    ...{ isHigh: false, isOrdered: true, isStrict: false, journal, buffer: ALL },
    ...{ text: textWriter, memory: textWriter.createMemory(), epochs: new Epochs() },
    ...{ clock: new VirtualClock(), batch: { ...ALL, maxWaitMs: 0 }, limits: learn({ emit: () => {} }, ALL) },
    ...{ isUrgent: () => false, sendsUnwritten: () => false, damaged: async () => {}, onDue: () => {} },
    reporter: { storageFailed: () => {} },
  });
  return { line, journal };
}

describe('what is read of a stored parcel', () => {
  it('goes before the rest of it with all its parts', async () => {
    const { line, journal } = createLine();
    const { queue } = line;
    const texts = [1, 2, 3, 4, 5, 6].map((n) => `{"n":${n}}`);
    queue.recover(await journal.append(encodeEvents(texts, [0, 0, 0, 0, 0, 0])), 0);
    const [rest] = queue.old;
    // Two events of 7 bytes and a comma fit.
    const limit = { maxEvents: 100, maxBytes: 16 };
    const read = await line.readOld(limit);
    const parts = [0, 1].map((from) => read?.cut({ from, to: from + 1 }));
    for (const part of parts.reverse()) if (part) queue.putBack(part, 'first');
    expect([...queue.old]).toEqual([...parts.reverse(), rest]);
  });

  it('goes before the rest of each of the parcels that it was read of, whatever part of it waits again', async () => {
    const { line, journal } = createLine();
    const { queue } = line;
    const range = await journal.append(
      encodeEvents(['{"n":0}', '{"n":1}', '{"n":2}', '{"n":3}', '{"n":4}'], [0, 0, 0, 0, 0]),
    );
    const stored = (from: number, to: number, lanes: number, order: number): void => {
      const parcel = storedParcel({ ...range, from, to }, 0, false);
      queue.old.push(Object.assign(parcel, { lanes, order }));
    };
    // Of a customer who comes first because an older event of theirs has gone.
    stored(2, 5, 1, 2);
    stored(0, 2, 2, 0);
    const read = await line.readOld({ maxEvents: 4, maxBytes: 1_000 });
    const [rest] = queue.old;
    const last = read?.cut({ from: 3, to: 4 });
    if (last) queue.putBack(last, 'first');
    expect([...queue.old]).toEqual([last, rest]);
  });
});
