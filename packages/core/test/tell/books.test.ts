import { describe, expect, it } from 'vitest';
import { Books } from '../../src/tell/books.ts';

const START = Date.UTC(2026, 0, 1);
const SECOND = 1_000;

/** Half of the accepted events are delivered. */
function count(books: Books, accepted: number): Books {
  books.accepted = accepted;
  books.delivered = accepted / 2;
  return books;
}

function rates(accepted: number): object {
  return { acceptedPerSecond: accepted, deliveredPerSecond: accepted / 2 };
}

/** Counts up to `total` at this rate, and takes samples `looks` times per second. */
function run(books: Books, perSecond: number, seconds: number, looks = 20): { total: number; now: number } {
  let total = 0;
  let now = START;
  count(books, total).sample(now);
  for (let step = 1; step <= seconds * looks; step += 1) {
    now = START + (step * SECOND) / looks;
    total = (step * perSecond) / looks;
    count(books, total).sample(now);
  }
  return { total, now };
}

describe('the rates of Books', () => {
  it('are 0 if nothing was counted since the first sample', () => {
    expect(new Books().rates(START)).toEqual(rates(0));
    const other = count(new Books(), 5);
    other.sample(START);
    expect(other.rates(START)).toEqual(rates(0));
  });

  it.each([1, 100, 1_000])('follow counters that grow by %d a second', (perSecond) => {
    const books = new Books();
    const { now } = run(books, perSecond, 60);
    const { acceptedPerSecond, deliveredPerSecond } = books.rates(now);
    expect(acceptedPerSecond).toBeCloseTo(perSecond, 5);
    expect(deliveredPerSecond).toBeCloseTo(perSecond / 2, 5);
  });

  it('are of the last ten seconds', () => {
    const books = new Books();
    const { now } = run(books, 100, 60);
    expect(books.rates(now + 5 * SECOND).acceptedPerSecond).toBeCloseTo(50, -1);
    expect(books.rates(now + 11 * SECOND)).toEqual(rates(0));
  });

  it('do not take a burst of a few milliseconds for a rate of its own', () => {
    const books = new Books();
    books.sample(START);
    expect(count(books, 100).rates(START + 5)).toEqual(rates(100));
  });

  it('cost the same however often they are looked at', () => {
    const books = new Books();
    const { now } = run(books, 1_000, 12, 1_000);
    expect(books.rates(now).acceptedPerSecond).toBeCloseTo(1_000, 5);
  });

  it.each([60 * 60, 5])('begin anew if the time of day was set back by %d s', (seconds) => {
    const books = new Books();
    const { now, total } = run(books, 100, 20);
    const back = now - seconds * SECOND;
    books.sample(back);
    expect(books.rates(back)).toEqual(rates(0));
    expect(count(books, total + 200).rates(back + 2 * SECOND)).toEqual(rates(100));
  });
});
