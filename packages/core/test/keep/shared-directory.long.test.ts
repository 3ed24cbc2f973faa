import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '@sluice/protocol/toolbox';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTracker, type Tracker, type TrackerOptions, type TrackerStats } from '../../src/index.ts';
import { nodeFileSystem } from '../../src/keep/file/disk/node-file-system.ts';
import { FailingFileSystem } from '../bench/failing-file-system.ts';
import { ScriptedTransport } from '../bench/scripted-transport.ts';
import { startTracking } from '../children/tracking-process.ts';
import { Place } from './file/place.ts';

const KIB = 1024;
const MAX_BYTES = 256 * KIB;
const PAD = 'p'.repeat(1_000);
/** What a group of events takes at most: an eighth. */
const GROUP_BYTES = MAX_BYTES / 8;

let place: Place;
const children: ChildProcess[] = [];
const trackers: Tracker[] = [];
beforeEach(async () => {
  place = await Place.create();
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  for (const tracker of trackers.splice(0)) await tracker.close({ timeoutMs: 0 });
  await place.remove();
});

/** Bytes of all files in the directory. */
async function size(): Promise<number> {
  const entries = await readdir(place.directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = files.map(({ parentPath, name }) => nodeFileSystem.sizeOf(join(parentPath, name)));
  return (await Promise.all(sizes)).reduce((sum, bytes) => sum + bytes, 0);
}

/** Another process, which tracks events that the service does not take. Resolves to its stats once they are durable. */
async function trackElsewhere(count: number): Promise<TrackerStats> {
  const child = startTracking({
    ...{ baseUrl: 'http://127.0.0.1:9', directory: place.directory, first: 0, count },
    ...{ end: 'report once durable, and wait to be killed', maxBytes: MAX_BYTES, pad: PAD },
  });
  children.push(child);
  const [stats] = await once(child, 'message');
  return stats;
}

/** A tracker in this process that sends nothing: events in a request would stay in memory where the journal gives them up. */
function start(
  options: Partial<TrackerOptions> = { journalDirectory: place.directory, storage: { maxBytes: MAX_BYTES } },
): { tracker: Tracker; track: (count: number) => Promise<void> } {
  const transport = new ScriptedTransport(systemClock);
  const tracker = createTracker({
    ...{ baseUrl: 'http://127.0.0.1:9', apiKey: 'key', correlationKey: 'email', transport },
    batch: { maxWaitMs: 3_600_000 },
    ...options,
  });
  trackers.push(tracker);
  const track = async (count: number) => {
    for (let number = 0; number < count; number += 1)
      tracker.track('numbered', { number, pad: PAD }, { correlationValue: 'ada@example.com' });
    await tracker.durable();
  };
  return { tracker, track };
}

describe('storage.maxBytes', () => {
  it('bounds what four processes write at once to one directory, and each counts what it gives up', async () => {
    const all = await Promise.all([1, 2, 3, 4].map(() => trackElsewhere(1_000)));
    // Each of the others may not have seen the last group of this one.
    expect(await size()).toBeLessThanOrEqual(MAX_BYTES + 3 * GROUP_BYTES);
    for (const { accepted, dropped, pending } of all) {
      expect(dropped).toMatchObject({ 'journal-full': expect.any(Number) });
      expect(pending + (dropped['journal-full'] ?? 0)).toBe(accepted);
    }
    for (const child of children.splice(0)) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    const left = await place.inherited();
    expect(left.length).toBe(all.reduce((sum, { pending, unwritten }) => sum + pending - unwritten, 0));
    expect(left.length).toBeGreaterThan(100);
  });

  it('counts what lies in the directory beside events, and gives up its own oldest ones for it', async () => {
    const { tracker, track } = start();
    await track(150);
    expect(tracker.stats().pending).toBe(150);
    const letters = join(place.directory, 'dead-letters', 'owner.owner');
    await mkdir(letters, { recursive: true, mode: 0o700 });
    await writeFile(join(letters, '00000001.segment'), Buffer.alloc(128 * KIB));
    await track(50);
    await track(50);
    expect(await size()).toBeLessThanOrEqual(MAX_BYTES);
    const { dropped, pending } = tracker.stats();
    expect(pending + (dropped['journal-full'] ?? 0)).toBe(250);
    expect(pending).toBeGreaterThan(50);
  });

  it('is a tenth of a small disk where it is not given', async () => {
    const fs = new FailingFileSystem();
    fs.volumeIs = { totalBytes: 10 * MAX_BYTES, freeBytes: 10 * MAX_BYTES };
    const { tracker, track } = start({
      journal: place.create({ fs, clock: systemClock }),
      storage: { minFreeBytes: 0 },
    });
    for (let round = 0; round < 6; round += 1) await track(50);
    const { dropped, journalBytes, pending } = tracker.stats();
    expect(journalBytes).toBeLessThanOrEqual(MAX_BYTES);
    expect(dropped['journal-full']).toBeGreaterThan(0);
    expect(pending + (dropped['journal-full'] ?? 0)).toBe(300);
    expect(pending).toBeGreaterThan(50);
  });

  it('has damaged files go before any event', async () => {
    const { tracker, track } = start();
    await track(50);
    const damaged = join(place.directory, 'damaged');
    await mkdir(damaged, { mode: 0o700 });
    for (const day of [1, 2, 3])
      await writeFile(join(damaged, `2026-01-0${day}.damaged`), Buffer.alloc(60 * KIB));
    await track(60);
    expect(tracker.stats().pending).toBe(110);
    expect((await place.files('.damaged')).map((path) => path.slice(-18))).toEqual([
      '2026-01-02.damaged',
      '2026-01-03.damaged',
    ]);
    await track(80);
    expect([tracker.stats().pending, await place.files('.damaged')]).toEqual([190, []]);
  });

  it('costs only the own events of a process whose neighbour holds nearly all of it', async () => {
    const first = start();
    await first.track(300);
    const held = first.tracker.stats().pending;
    const second = start();
    await second.track(100);
    const { dropped, pending } = second.tracker.stats();
    expect(dropped['journal-full']).toBeGreaterThan(20);
    expect(pending + (dropped['journal-full'] ?? 0)).toBe(100);
    expect(first.tracker.stats().pending).toBe(held);
    expect(await size()).toBeLessThanOrEqual(MAX_BYTES);
  });
});
