import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Batch, createBatch, splitBatch } from '../../src/wait/batch.ts';
import { toEventBytes, toTexts } from '../bench/event-texts.ts';

const RANGE = { segment: 7, from: 100, to: 103, epoch: 2 };
const EVENTS = [{ event: 'a', payload: { n: 1 } }, { event: 'é€😀' }, { event: '"],' }];

function batchOf(events: readonly object[], from = 100): Batch {
  const texts = events.map((event) => JSON.stringify(event));
  return createBatch(toEventBytes(texts), { ...RANGE, from, to: from + events.length });
}

function parse({ body }: Batch): unknown {
  return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
}

describe('createBatch', () => {
  it('makes a body of JSON that holds exactly these events', () => {
    expect(parse(batchOf(EVENTS))).toEqual({ batch: EVENTS });
    expect(parse(batchOf(EVENTS.slice(0, 1)))).toEqual({ batch: EVENTS.slice(0, 1) });
  });

  it('shows the events as they lie in the body, and where the journal keeps them', () => {
    const { body, events, range } = batchOf(EVENTS);
    expect(toTexts(events)).toEqual(EVENTS.map((event) => JSON.stringify(event)));
    expect(events.bytes.buffer).toBe(body.buffer);
    expect(range).toEqual(RANGE);
  });

  it('keeps its bytes where those that it was made from are used for something else', () => {
    const events = toEventBytes(EVENTS.map((event) => JSON.stringify(event)));
    const batch = createBatch(events, RANGE);
    events.bytes.fill(0);
    expect(parse(batch)).toEqual({ batch: EVENTS });
  });

  it('takes events out of the middle of a larger block', () => {
    const { bytes, ends } = toEventBytes(['{"a":1}', '{"b":2}']);
    const block = new Uint8Array(bytes.length + 20).fill(0x78);
    block.set(bytes, 11);
    expect(
      parse(createBatch({ bytes: block.subarray(11, 11 + bytes.length), ends }, { ...RANGE, to: 102 })),
    ).toEqual({
      batch: [{ a: 1 }, { b: 2 }],
    });
  });
});

describe('splitBatch', () => {
  it('gives the first half and the second, of an odd number the larger one first', () => {
    const [first, second] = splitBatch(batchOf(EVENTS));
    expect(parse(first)).toEqual({ batch: EVENTS.slice(0, 2) });
    expect(parse(second)).toEqual({ batch: EVENTS.slice(2) });
    expect(first.range).toEqual({ ...RANGE, to: 102 });
    expect(second.range).toEqual({ ...RANGE, from: 102 });
  });

  it('leaves the batch as it was', () => {
    const batch = batchOf(EVENTS);
    splitBatch(batch);
    expect(parse(batch)).toEqual({ batch: EVENTS });
    expect(batch.range).toEqual(RANGE);
  });

  it('keeps every byte and every place in the journal, split down to single events', () => {
    const event = fc.record({ event: fc.string({ unit: 'binary', maxLength: 9 }) });
    const property = fc.property(
      fc.array(event, { minLength: 1, maxLength: 40 }),
      fc.nat(),
      (events, from) => {
        const split = (batch: Batch): Batch[] =>
          batch.events.ends.length === 1 ? [batch] : splitBatch(batch).flatMap(split);
        const singles = split(batchOf(events, from));
        expect(singles.map(parse)).toEqual(events.map((event) => ({ batch: [event] })));
        expect(singles.map(({ range }) => range)).toEqual(
          events.map((_, index) => ({ ...RANGE, from: from + index, to: from + index + 1 })),
        );
      },
    );
    fc.assert(property, { numRuns: 200 });
  });

  it('makes parts that were not sent before, also of a batch that was', () => {
    const batch = batchOf(EVENTS);
    batch.range = { ...batch.range, isWhole: true };
    expect(splitBatch(batch).map(({ range }) => range.isWhole)).toEqual([undefined, undefined]);
  });
});
