import { createTracker, type TrackerStats } from '@sluice/core';
import { expect, test } from 'vitest';
import { describeBuffer, describeSender } from '../src/page/buffer-status.ts';

/** The stats of a new tracker, with some of them replaced. */
async function statsWith(some: Partial<TrackerStats>): Promise<TrackerStats> {
  const options = { baseUrl: 'http://127.0.0.1:1', correlationKey: 'email', journal: 'memory' } as const;
  await using tracker = createTracker(options);
  return { ...tracker.stats(), journal: 'indexeddb', ...some };
}

test('an empty buffer is calm', async () => {
  expect(describeBuffer(await statsWith({}), false)).toMatchObject({ tone: 'calm', headline: 'Ready' });
  const used = await statsWith({ accepted: 3, delivered: 3 });
  expect(describeBuffer(used, false)).toMatchObject({ tone: 'calm', headline: 'All delivered' });
});

test('events that wait are being delivered until a request fails', async () => {
  const stats = await statsWith({ accepted: 2, pending: 2 });
  expect(describeBuffer(stats, false)).toMatchObject({ tone: 'busy', headline: 'Delivering' });
  const failing = describeBuffer(stats, true);
  expect(failing).toMatchObject({ tone: 'held', headline: 'Not reachable' });
  expect(failing.sentence).toContain('2 events wait on disk');
});

test('where there is no storage, it does not say that events are on disk', async () => {
  const stats = await statsWith({ accepted: 1, pending: 1, journal: 'memory' });
  expect(describeBuffer(stats, true).sentence).toMatch(/^One event waits in memory/);
});

test('a pause says why', async () => {
  const pause = { reason: 'unauthorized', status: 401, words: '', since: 0, until: 0, hint: '' } as const;
  const stats = await statsWith({ accepted: 1, pending: 1, breaker: 'open', pause });
  expect(describeBuffer(stats, true)).toMatchObject({ tone: 'held', headline: 'Paused' });
  expect(describeBuffer(stats, true).sentence).toContain('does not take the key (401)');
  expect(describeSender(stats, true)).toBe('paused: unauthorized, 401');
});
