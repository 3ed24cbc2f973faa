import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { type Emulator, startEmulator } from '@sluice/emulator';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createTracker, type Tracker, type TrackerOptions } from '../../src/index.ts';

const key = 'the-right-key-of-this-account';
const ada = { correlationValue: 'ada@example.com' };
let emulator: Emulator;
let state = '';
const trackers: Tracker[] = [];

beforeAll(async () => {
  emulator = await startEmulator({ primaryKey: 'email', apiKey: key });
});
afterAll(() => emulator.close());

beforeEach(async () => {
  state = await mkdtemp(join(tmpdir(), 'sluice-'));
  vi.stubEnv('XDG_STATE_HOME', state);
});
afterEach(async () => {
  for (const tracker of trackers.splice(0)) await tracker.close({ timeoutMs: 0 });
  vi.unstubAllEnvs();
  await rm(state, { recursive: true, force: true });
});

function create(options: Partial<TrackerOptions> = {}): Tracker {
  const tracker = createTracker({
    baseUrl: emulator.baseUrl,
    apiKey: key,
    correlationKey: 'email',
    ...options,
  });
  trackers.push(tracker);
  return tracker;
}

describe('the directory that a journal has by default', () => {
  it('is the same under a wrong key: what waited there is delivered under the right one', async () => {
    const wrong = create({ apiKey: 'a-key-with-a-typing-error' });
    wrong.track('purchase', { total: 1 }, ada);
    await wrong.close();
    const right = create();
    await right.flush();
    expect(right.stats()).toMatchObject({ recovered: 1, delivered: 1, pending: 0 });
  });

  it('is another one for each account', async () => {
    const options = { apiKey: 'a-key-that-is-not-valid' };
    const first = create({ ...options, account: 'first' });
    first.track('purchase', {}, ada);
    await first.close({ timeoutMs: 0 });
    for (const account of ['second', undefined]) {
      const other = create({ ...options, ...(account && { account }) });
      other.track('purchase', {}, ada);
      await other.durable();
      expect(other.stats()).toMatchObject({ recovered: 0 });
      await other.close({ timeoutMs: 0 });
    }
    const again = create({ ...options, account: 'first' });
    await again.flush();
    expect(again.stats().recovered).toBe(1);
  });
});

describe('createTracker', () => {
  it('reads and makes nothing: a build that imports it leaves no directory', async () => {
    const tracker = create();
    for (let turn = 0; turn < 20; turn += 1) await setImmediate();
    await tracker.durable();
    expect(await tracker.deadLetters.purge()).toBe(0);
    expect(await readdir(state)).toEqual([]);
    tracker.track('purchase', {}, ada);
    await tracker.durable();
    expect(await readdir(state)).toEqual(['sluice']);
  });

  it('opens a directory that exists a turn later, and not at once', async () => {
    const journalDirectory = join(state, 'journal');
    await mkdir(journalDirectory, { mode: 0o700 });
    const tracker = create({ journalDirectory });
    expect(await readdir(journalDirectory)).toEqual([]);
    await vi.waitFor(async () => expect(await readdir(journalDirectory)).toHaveLength(2));
    await tracker.close();
    expect(await readdir(journalDirectory)).toEqual([]);
  });

  it('asks the disk for nothing before it returns, though there is a directory', async () => {
    const journalDirectory = join(state, 'journal');
    await mkdir(journalDirectory, { mode: 0o700 });
    const asked = () => process.getActiveResourcesInfo().filter((name) => name.startsWith('FSReq')).length;
    const before = asked();
    create({ journalDirectory });
    expect(asked()).toBe(before);
  });

  it('leaves nothing open if it is closed before it has looked', async () => {
    const journalDirectory = join(state, 'journal');
    await mkdir(journalDirectory, { mode: 0o700 });
    await create({ journalDirectory }).close({ timeoutMs: 0 });
    for (let turn = 0; turn < 20; turn += 1) await setImmediate();
    expect(await readdir(journalDirectory)).toEqual([]);
  });
});
