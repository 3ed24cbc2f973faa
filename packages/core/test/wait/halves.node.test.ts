import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EventTexts } from '../../src/accept/event-text.ts';
import { halvesOf, laneOf } from '../../src/wait/lanes.ts';

const texts = new EventTexts({ correlationKey: 'email', source: 'test', maxEventBytes: 1_000_000 });

function textsOf(customers: readonly string[]): string[] {
  return customers.map((correlationValue) => texts.create('event', { n: 1 }, { correlationValue }, 0));
}

/** Of each half, the indexes of its events, and their lanes. */
function halves(all: readonly string[]) {
  const texts = all.map((text) => new TextEncoder().encode(text));
  return halvesOf(texts).map((half) => half.map(({ index, lane }) => ({ index, lanes: 1 << lane })));
}

describe('the halves of a parcel', () => {
  it('are of different customers, whatever these are called, have each event once, and know their lanes', () => {
    const customer = fc.oneof(
      fc.string({ minLength: 1 }),
      fc.constantFrom('a', 'b', '"', '\\', '","correlationValue":"'),
    );
    fc.assert(
      fc.property(fc.array(customer, { minLength: 1, maxLength: 30 }), (customers) => {
        const found = halves(textsOf(customers));
        const indexes = found.flat().map(({ index }) => index);
        expect(indexes.sort((one, other) => one - other)).toEqual([...customers.keys()]);
        expect(found.length).toBe(Math.min(2, new Set(customers).size));
        const [first = [], second = []] = found.map((half) => half.map(({ index }) => customers[index]));
        expect(first.filter((one) => second.includes(one))).toEqual([]);
        for (const { index, lanes } of found.flat()) expect(lanes).toBe(1 << laneOf(customers[index] ?? ''));
      }),
    );
  });

  it('are of about the same size', () => {
    const customers = Array.from({ length: 100 }, (_, index) => `customer-${index % 10}`);
    const sizes = halves(textsOf(customers)).map(({ length }) => length);
    expect(sizes).toEqual([50, 50]);
  });

  it('have all events, whatever a script of the origin has stored among them', () => {
    const [good = ''] = textsOf(['ada']);
    const all = [good, '{"correlationValue":', 'null', '1,2', '{"correlationValue":{}}', good];
    const indexes = halves(all).flatMap((half) => half.map(({ index }) => index));
    expect(indexes.sort((one, other) => one - other)).toEqual([...all.keys()]);
  });
});
