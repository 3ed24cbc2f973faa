import { afterEach, beforeEach, expect, it } from 'vitest';
import { createTracker, faultyTransport } from '../../../src/entries/testing/testing.ts';
import type { Tracker, TrackerOptions } from '../../../src/index.ts';
import { Place } from '../../keep/file/place.ts';

let place: Place;
beforeEach(async () => {
  place = await Place.create();
});
afterEach(() => place.remove());

it.each([
  ['per-customer', { batch: { maxEvents: 10 } }, 25],
  ['per-customer', { batch: { maxEvents: 10 } }, 100],
  ['per-customer', {}, 9_000],
  ['strict', { batch: { maxEvents: 10 } }, 25],
] satisfies [TrackerOptions['ordering'], Partial<TrackerOptions>, number][])(
  'the next process sends events in their order (%s, %o, %i events)',
  async (ordering, more, count) => {
    const options = {
      ...{ baseUrl: 'http://service.example', correlationKey: 'email', logger: false as const },
      ...{ journalDirectory: place.directory, ordering, ...more },
    } as const;
    const away = faultyTransport(() => new Error('away'));
    const left = createTracker({ ...options, transport: away });
    for (let number = 0; number < count; number += 1)
      left.track('left', { number }, { correlationValue: 'ada@example.com' });
    await left.close({ timeoutMs: 100 });
    const transport = faultyTransport(() => 200);
    const tracker = createTracker({ ...options, transport });
    await expect.poll(() => tracker.stats().delivered, { timeout: 10_000 }).toBe(count);
    await tracker.close();
    const numbers = transport.requests.flat().map(({ payload }) => payload?.number);
    expect(numbers).toEqual(Array.from({ length: count }, (_, number) => number));
  },
);

it.each(['per-customer', 'strict'] as const)(
  'what a process tracks as it starts comes after what the one before left (%s)',
  async (ordering) => {
    const options = {
      ...{ baseUrl: 'http://service.example', correlationKey: 'email', logger: false as const },
      ...{ journalDirectory: place.directory, ordering },
    };
    const track = (tracker: Tracker, from: number, to: number) => {
      for (let number = from; number < to; number += 1)
        tracker.track('tracked', { number }, { correlationValue: 'ada@example.com' });
    };
    const left = createTracker({ ...options, transport: faultyTransport(() => new Error('away')) });
    track(left, 0, 100);
    await left.close({ timeoutMs: 100 });
    const transport = faultyTransport(() => 200);
    const tracker = createTracker({ ...options, transport });
    // More than a batch: it is due at once.
    track(tracker, 100, 1_300);
    await expect.poll(() => tracker.stats().delivered, { timeout: 10_000 }).toBe(1_300);
    await tracker.close();
    const numbers = transport.requests.flat().map(({ payload }) => payload?.number);
    expect(numbers).toEqual(Array.from({ length: 1_300 }, (_, number) => number));
  },
);
