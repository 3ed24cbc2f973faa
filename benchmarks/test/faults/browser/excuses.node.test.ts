import { describe, expect, it } from 'vitest';
import { type Cut, countRepeats } from '../../../src/faults/browser/excuses.ts';
import type { Taken } from '../../../src/faults/browser/watched-service.ts';

const FOR_GOOD = Number.POSITIVE_INFINITY;

function taken(life: number | undefined, uuids: string[], arrivedAt: number, answeredAt?: number): Taken {
  return { life, uuids: new Set(uuids), arrivedAt, answeredAt };
}

function repeats(requests: Taken[], cuts: Record<number, Cut[]> = {}) {
  const { excused, unexcused } = countRepeats(requests, (life) => cuts[life] ?? []);
  return { excused, unexcused };
}

describe('an event that came again', () => {
  it('has no excuse where its page read the answer and went on', () => {
    const requests = [taken(1, ['a', 'b'], 0, 10), taken(2, ['b', 'c'], 50, 60)];
    expect(repeats(requests)).toEqual({ excused: 0, unexcused: 1 });
  });

  it('is shown with both its requests where it has no excuse', () => {
    const requests = [taken(1, ['a', 'b'], 0, 10), taken(2, ['b', 'c', 'a'], 50, 65)];
    expect(countRepeats(requests, () => []).examples).toEqual([
      '2 events: 2 from page 1 at 0 ms, answered 10 ms later; 3 from page 2 at 50 ms, answered 15 ms later',
    ]);
  });

  it('is excused where the answer was cut off', () => {
    const requests = [taken(1, ['a', 'b'], 0), taken(1, ['a', 'b'], 50, 60)];
    expect(repeats(requests)).toEqual({ excused: 2, unexcused: 0 });
  });

  it('is excused where its page ended right after the answer, or before it', () => {
    const requests = [taken(1, ['a'], 0, 10), taken(2, ['b'], 20, 30), taken(3, ['a', 'b'], 50, 60)];
    const ends = { 1: [{ from: 15, to: FOR_GOOD }], 2: [{ from: 25, to: FOR_GOOD }] };
    expect(repeats(requests, ends)).toEqual({ excused: 2, unexcused: 0 });
  });

  it('has no excuse where its page had all the time to note the answer before it ended', () => {
    const requests = [taken(1, ['a'], 0, 10), taken(2, ['a'], 9_000, 9_010)];
    expect(repeats(requests, { 1: [{ from: 5_000, to: FOR_GOOD }] })).toEqual({ excused: 0, unexcused: 1 });
  });

  it('has no excuse where it came before its page ended', () => {
    const requests = [taken(1, ['a'], 0, 10), taken(2, ['a'], 50, 60)];
    expect(repeats(requests, { 1: [{ from: 100, to: FOR_GOOD }] })).toEqual({ excused: 0, unexcused: 1 });
  });

  it('is excused while its page is put aside, and not once that is back', () => {
    const cuts = { 1: [{ from: 100, to: 200 }] };
    const aside = [taken(1, ['a'], 90, 150), taken(2, ['a'], 160, 170)];
    const back = [taken(1, ['a'], 210, 220), taken(2, ['a'], 300, 310)];
    expect(repeats(aside, cuts)).toEqual({ excused: 1, unexcused: 0 });
    expect(repeats(back, cuts)).toEqual({ excused: 0, unexcused: 1 });
  });

  it('is excused where the browser sent it for a page that is gone', () => {
    expect(repeats([taken(undefined, ['a'], 0, 10), taken(2, ['a'], 9_000, 9_010)])).toEqual({
      ...{ excused: 1, unexcused: 0 },
    });
  });

  it('is excused where the page that left it behind was gone before another sent it, and not where it was there', () => {
    const requests = [taken(1, ['a'], 2_000, 2_010), taken(2, ['a'], 2_300, 2_310)];
    expect(repeats(requests, { 2: [{ from: 1_900, to: FOR_GOOD }] })).toEqual({ excused: 1, unexcused: 0 });
    expect(repeats(requests, { 2: [{ from: 2_400, to: FOR_GOOD }] })).toEqual({ excused: 0, unexcused: 1 });
  });

  it('is judged by the request before it alone, each time that it comes', () => {
    const requests = [taken(1, ['a'], 0), taken(2, ['a'], 10, 20), taken(2, ['a'], 30, 40)];
    expect(repeats(requests)).toEqual({ excused: 1, unexcused: 1 });
  });
});
