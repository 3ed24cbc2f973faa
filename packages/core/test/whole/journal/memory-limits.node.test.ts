import { setImmediate } from 'node:timers/promises';
import type { Event } from '@sluice/protocol';
import { expect, it } from 'vitest';
import { createTracker, faultyTransport, VirtualClock } from '../../../src/entries/testing/testing.ts';

it.each([undefined, 1024 * 1024 * 1024])(
  'a journal in memory that is full gives up the oldest events of normal priority, and takes no more than the buffer may (storage: %s)',
  async (storageBytes) => {
    let isAway = true;
    const delivered: Event[] = [];
    const transport = faultyTransport((events) => {
      if (isAway) return new Error('away');
      delivered.push(...events);
      return 200;
    });
    // All that a moment leads to is over before the next one: what a full journal copies is there twice meanwhile.
    const clock = new VirtualClock(undefined, setImmediate);
    const maxBytes = 1024 * 1024;
    const tracker = createTracker({
      ...{ baseUrl: 'http://service.example', correlationKey: 'email', journal: 'memory', logger: false },
      ...{ buffer: { maxBytes }, storage: { maxBytes: storageBytes }, clock, transport },
    });
    const failures: unknown[] = [];
    tracker.on('storageFailed', ({ error }) => failures.push(error));
    let number = 0;
    for (let round = 0; round < 60; round += 1) {
      for (const end = number + 200; number < end; number += 1)
        tracker.track(
          number % 20 === 0 ? 'important' : 'kept',
          { number, text: 'x'.repeat(400) },
          {
            correlationValue: 'ada@example.com',
            priority: number % 20 === 0 ? 'high' : 'normal',
          },
        );
      await clock.advance(50);
      expect(tracker.stats().journalBytes).toBeLessThanOrEqual(maxBytes);
    }
    const { dropped, pending } = tracker.stats();
    expect([dropped['journal-full'] + pending, failures]).toEqual([number, []]);
    isAway = false;
    tracker.retryNow();
    const flushed = tracker.flush();
    await clock.advance(60_000);
    await flushed;
    expect(Math.max(...delivered.map(({ payload }) => Number(payload?.number)))).toBe(number - 1);
    expect(delivered.filter(({ event }) => event === 'important')).toHaveLength(number / 20);
    const closed = tracker.close();
    await clock.advance(10_000);
    await closed;
  },
);
