import { afterEach, beforeEach, expect, it } from 'vitest';
import { createTracker, faultyTransport } from '../../../src/entries/testing/testing.ts';
import type { TrackerOptions } from '../../../src/index.ts';
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
