import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Emulator, startEmulator } from '@sluice/emulator';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTracker, type Tracker } from '../../src/index.ts';
import { runTracking, startTracking } from '../children/tracking-process.ts';

/** A port on which nobody listens. */
const nowhere = 'http://127.0.0.1:9';
const scratch = await mkdtemp(join(tmpdir(), 'sluice-'));
let directory = '';
let emulator: Emulator;
const trackers: Tracker[] = [];

beforeAll(async () => {
  emulator = await startEmulator({ primaryKey: 'email' });
});
afterAll(async () => {
  await emulator.close();
  await rm(scratch, { recursive: true, force: true });
});
beforeEach(async () => {
  directory = await mkdtemp(join(scratch, 'journal-'));
});
afterEach(async () => {
  for (const tracker of trackers.splice(0)) await tracker.close({ timeoutMs: 0 });
});

function create(): Tracker {
  const { apiKey, baseUrl } = emulator;
  const tracker = createTracker({ apiKey, baseUrl, correlationKey: 'email', journalDirectory: directory });
  trackers.push(tracker);
  return tracker;
}

/** Starts a process that holds `count` events in the directory and waits to be killed. */
async function startHolder(count: number) {
  const child = startTracking({ baseUrl: nowhere, directory, first: 0, count, end: 'wait to be killed' });
  await once(child, 'message');
  return child;
}

describe('a tracker and other processes with its directory', () => {
  it('delivers everything that a killed process had written, once', async () => {
    const child = await startHolder(5_000);
    child.kill('SIGKILL');
    await once(child, 'exit');

    const tracker = create();
    expect(await tracker.flush()).toMatchObject({ delivered: 5_000, pending: 0 });
    const counts = await emulator.countEvents({ name: 'numbered' });
    expect(counts).toEqual({ unique: 5_000, received: 5_000 });
  });

  it.each([
    ['exit', 7],
    ['throw', 1],
    ['nothing left to do', 0],
  ] as const)(
    'loses nothing of a process that ends with "%s", and does not keep it from ending',
    async (end, code) => {
      const assignment = { baseUrl: nowhere, directory, first: 0, count: 500, end };
      expect(await runTracking(assignment)).toBe(code);
      const before = await emulator.countEvents({ name: 'numbered' });
      const tracker = create();
      expect(await tracker.flush()).toMatchObject({ delivered: 500, pending: 0 });
      const after = await emulator.countEvents({ name: 'numbered' });
      expect(after.unique - before.unique).toBe(500);
      await tracker.close();
    },
  );

  it('does not touch what a process that lives holds in the same directory', async () => {
    const child = await startHolder(100);
    const tracker = create();
    expect(await tracker.flush()).toMatchObject({ delivered: 0, pending: 0 });
    child.kill('SIGKILL');
    await once(child, 'exit');
    await tracker.close();
    expect(await create().flush()).toMatchObject({ delivered: 100, pending: 0 });
  });
});

describe('durable()', () => {
  it.each(['always', 'interval', 'never'] as const)(
    'resolves in a process that is killed then, and the next one delivers all of it once, with fsync %s',
    async (fsync) => {
      const assignment = { baseUrl: nowhere, directory, first: 0, count: 2_000, fsync };
      const child = startTracking({ ...assignment, end: 'wait to be killed once durable' });
      await once(child, 'message');
      child.kill('SIGKILL');
      await once(child, 'exit');
      const before = await emulator.countEvents({ name: 'numbered' });
      expect(await create().flush()).toMatchObject({ delivered: 2_000, pending: 0 });
      const { unique, received } = await emulator.countEvents({ name: 'numbered' });
      expect(received - before.received).toBe(2_000);
      // All children use the same numbers, but each gives its events other uuids.
      expect(unique - before.unique).toBe(2_000);
    },
  );
});
