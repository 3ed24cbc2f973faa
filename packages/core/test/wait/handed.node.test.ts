import { describe, expect, it } from 'vitest';
import { Epochs } from '../../src/tell/epochs.ts';
import { Queue } from '../../src/wait/queue.ts';
import { textWriter } from '../bench/text-writer.ts';

const ALL = { maxEvents: 100, maxBytes: 10_000 };

describe('an append that a full journal gives up', () => {
  it('drops no event whose parcel was cut meanwhile: its parts go on', () => {
    const memory = textWriter.createMemory();
    const epochs = new Epochs();
    const options = {
      limit: ALL,
      parcel: ALL,
      isHigh: false,
      isOrdered: false,
      text: textWriter,
      memory,
      epochs,
      denied: () => new AbortController().signal,
    };
    const queue = new Queue(options);
    epochs.enter(2);
    for (const text of ['{"n":1}', '{"n":2}']) queue.push(text, 0, '');
    const parcel = queue.take(queue.ring, [...queue.ring.parcels], ALL);
    if (!parcel) throw new Error('a parcel was expected');
    const entry = queue.hand(ALL);
    const parts = queue.cut(parcel, 1).map((part) => queue.taken(part));
    expect(entry?.drop()).toBe(0);
    expect(parts.map((part) => [part.isWritten, queue.out.has(part)])).toEqual([
      [false, true],
      [false, true],
    ]);
  });
});
