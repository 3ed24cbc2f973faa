import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createTracker, faultyTransport, VirtualClock } from '../../../src/entries/testing/testing.ts';
import type { TrackerOptions } from '../../../src/options/options.ts';

const MIB = 1024 * 1024;
const CULPRITS = 20;

describe('events at which the service always fails, where they lie all over the journal', () => {
  it.each([
    ['drop-newest', 'files'],
    ['drop-newest', 'memory'],
    ['drop-oldest', 'files'],
  ] as const)('take no room from others, and stay in it (%s, %s)', async (whenFull, kind) => {
    const directory = await mkdtemp(join(tmpdir(), 'sluice-suspects-'));
    const clock = new VirtualClock();
    /** Time passes, and what reads or writes files goes on. */
    const pass = async (isOver: () => boolean) => {
      for (let second = 0; !isOver() && second < 5_000; second += 1) {
        await clock.advance(1_000);
        await setImmediate();
      }
    };
    let isMended = false;
    const arrived = new Set<unknown>();
    const transport = faultyTransport((events) => {
      if (!isMended && events.some(({ payload }) => payload?.isBad)) return 500;
      for (const { payload } of events) arrived.add(payload?.number);
      return 200;
    });
    const options: TrackerOptions = {
      ...{ baseUrl: 'http://service.example', correlationKey: 'email', logger: false, clock, transport },
      ...(kind === 'memory' ? { journal: 'memory' } : { journalDirectory: directory }),
      storage: { maxBytes: 2 * MIB, minFreeBytes: 0, whenFull },
    };
    const tracker = createTracker(options);
    let number = 0;
    for (let round = 0; round < CULPRITS; round += 1) {
      // More than a file of the journal has, a quarter of a MiB.
      for (const end = number + 125; number < end; number += 1)
        tracker.track(
          'seen',
          { number, isBad: number % 125 === 100, text: 'x'.repeat(4_000) },
          { correlationValue: `${number}@example.com` },
        );
      await pass(() => {
        const { pending, suspects } = tracker.stats();
        return pending === round + 1 && suspects.length === pending;
      });
    }
    const { dropped, journalBytes, pending, unwritten } = tracker.stats();
    expect({ dropped: dropped['journal-full'], pending, unwritten }).toEqual({
      ...{ dropped: 0, pending: CULPRITS, unwritten: 0 },
    });
    expect(journalBytes).toBeLessThanOrEqual(2 * MIB);
    expect(arrived.size).toBe(number - CULPRITS);

    isMended = true;
    if (kind === 'files') {
      // The process ends without them.
      const closed = tracker.close({ timeoutMs: 0 });
      await clock.advance(10_000);
      await closed;
      const next = createTracker(options);
      const flushed = next.flush();
      await pass(() => next.stats().recovered > 0 && next.stats().pending === 0);
      await flushed;
      await next.close();
    } else await pass(() => tracker.stats().pending === 0);
    expect(arrived.size).toBe(number);
    await tracker.close();
    await rm(directory, { recursive: true });
  });

  it('are given up in it before a new event is dropped (drop-oldest)', async () => {
    const clock = new VirtualClock(undefined, setImmediate);
    const arrived = new Set<unknown>();
    const transport = faultyTransport(([event]) => {
      if (event?.payload?.isBad) return 500;
      arrived.add(event?.payload?.number);
      return 200;
    });
    const tracker = createTracker({
      ...{ baseUrl: 'http://service.example', correlationKey: 'email', logger: false, clock, transport },
      ...{ journal: 'memory', buffer: { maxBytes: MIB / 2 }, batch: { maxEvents: 1 } },
    });
    const most = 300;
    for (let number = 0; number < most; number += 1) {
      const payload = { number, isBad: number % 2 === 0, text: 'x'.repeat(4_000) };
      tracker.track('seen', payload, { correlationValue: `${number}@example.com` });
      await clock.advance(1_000);
    }
    await clock.advance(60_000);
    const { dropped, suspects } = tracker.stats();
    expect({ dropped: dropped['journal-full'], arrived: arrived.size }).toEqual({
      dropped: 0,
      arrived: most / 2,
    });
    expect(suspects.length).toBeGreaterThan(most / 2 - 10);
    const closed = tracker.close({ timeoutMs: 0 });
    await clock.advance(10_000);
    await closed;
  });
});
