import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EventTexts } from '../../../src/accept/event-text.ts';
import { encodeEvents } from '../../../src/base/event-bytes.ts';
import { halvesOf } from '../../../src/wait/lanes/halves.ts';

const texts = new EventTexts('email', 'test', 1_000_000);

function eventsOf(customers: readonly string[]) {
  const all = customers.map((correlationValue) => texts.create('event', { n: 1 }, { correlationValue }, 0));
  return encodeEvents(
    all,
    all.map(() => 0),
  );
}

describe('the halves of a parcel', () => {
  it('are of different customers, whatever these are called, and have each event once', () => {
    const customer = fc.oneof(
      fc.string({ minLength: 1 }),
      fc.constantFrom('a', 'b', '"', '\\', '","correlationValue":"'),
    );
    fc.assert(
      fc.property(fc.array(customer, { minLength: 1, maxLength: 30 }), (customers) => {
        const halves = halvesOf(eventsOf(customers));
        const indexes = halves.map((spans) =>
          spans.flatMap(({ from, to }) => Array.from({ length: to - from }, (_, index) => from + index)),
        );
        expect(indexes.flat().sort((one, other) => one - other)).toEqual([...customers.keys()]);
        expect(halves.length).toBe(Math.min(2, new Set(customers).size));
        const [first = [], second = []] = indexes.map((half) => half.map((index) => customers[index]));
        expect(first.filter((one) => second.includes(one))).toEqual([]);
      }),
    );
  });

  it('are of about the same size', () => {
    const customers = Array.from({ length: 100 }, (_, index) => `customer-${index % 10}`);
    const sizes = halvesOf(eventsOf(customers)).map((spans) =>
      spans.reduce((sum, { from, to }) => sum + to - from, 0),
    );
    expect(sizes).toEqual([50, 50]);
  });
});
