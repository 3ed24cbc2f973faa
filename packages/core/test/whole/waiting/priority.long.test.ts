import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmulator } from '@sluice/emulator';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTracker, type Tracker } from '../../../src/index.ts';
import type { TrackerOptions } from '../../../src/options/options.ts';

const ada = { correlationValue: 'ada@example.com' };
const atOnce = { ...ada, priority: 'high' } as const;

describe('an event of high priority', () => {
  let emulator: Awaited<ReturnType<typeof startEmulator>>;
  let directory: string;
  let tracker: Tracker | undefined;

  beforeAll(async () => {
    emulator = await startEmulator({ primaryKey: 'email' });
  });
  afterAll(() => emulator.close());

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'sluice-priority-'));
  });
  afterEach(async () => {
    await tracker?.close({ timeoutMs: 0 });
    await rm(directory, { recursive: true });
  });

  function create(options: Partial<TrackerOptions>): Tracker {
    const { baseUrl, apiKey } = emulator;
    tracker = createTracker({
      ...{ baseUrl, apiKey, correlationKey: 'email', journalDirectory: directory },
      ...options,
    });
    return tracker;
  }

  it('is sent at once, whatever the others wait for', async () => {
    const tracker = create({ batch: { maxWaitMs: 3_600_000 } });
    tracker.track('waits', {}, ada);
    tracker.track('at once', {}, atOnce);
    await expect.poll(() => tracker.stats().delivered).toBe(1);
    expect(await emulator.countEvents({ name: 'at once' })).toEqual({ unique: 1, received: 1 });
    expect(tracker.stats().pending).toBe(1);
  });

  it('flushes all where order is strict, and overtakes nothing', async () => {
    const tracker = create({ batch: { maxWaitMs: 3_600_000 }, ordering: 'strict' });
    for (let number = 0; number < 5; number += 1) tracker.track('in order', { number }, ada);
    tracker.track('in order', { number: 5 }, atOnce);
    await expect.poll(() => tracker.stats().delivered).toBe(6);
  });

  it('is kept where a full journal gives up its oldest file', async () => {
    const tracker = create({
      baseUrl: 'http://127.0.0.1:9',
      storage: { maxBytes: 64 * 1024, minFreeBytes: 0 },
      buffer: { maxEvents: 100 },
      delivery: { retryMaxMs: 60_000, maxConcurrency: 1 },
      batch: { maxEvents: 10 },
    });
    for (let round = 0; round < 60; round += 1) {
      tracker.track('kept', { round }, atOnce);
      for (let number = 0; number < 30; number += 1) tracker.track('given up', { round, number }, ada);
      await expect.poll(() => tracker.stats().unwritten).toBeLessThan(60);
    }
    await tracker.close({ timeoutMs: 0 });
    expect(tracker.stats().dropped['journal-full']).toBeGreaterThan(500);

    const heir = create({});
    await heir.flush();
    expect(await emulator.countEvents({ name: 'kept' })).toMatchObject({ unique: 60 });
    const { unique } = await emulator.countEvents({ name: 'given up' });
    expect(unique).toBeLessThan(60 * 30);
  });
});
