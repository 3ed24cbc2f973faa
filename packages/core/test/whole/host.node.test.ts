import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mock } from 'node:test';
import { type Emulator, startEmulator } from '@sluice/emulator';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTracker, type Tracker, type TrackerOptions } from '../../src/index.ts';

const ada = { correlationValue: 'ada@example.com' };
let emulator: Emulator;
let directory: string;

beforeAll(async () => {
  emulator = await startEmulator({ primaryKey: 'email' });
});
afterAll(() => emulator.close());
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

function create(options: Partial<TrackerOptions> = {}): Tracker {
  const { baseUrl, apiKey } = emulator;
  return createTracker({
    ...{ baseUrl, apiKey, correlationKey: 'email' },
    ...(options.journal === undefined && { journalDirectory: join(directory, 'journal') }),
    ...options,
  });
}

describe('the methods of a tracker need no `this`:', () => {
  const makers: [string, (tracker: Tracker) => Tracker][] = [
    ['taken out of it', (tracker) => ({ ...tracker })],
    ['in a Proxy, as Vue makes one', (tracker) => new Proxy(tracker, {})],
  ];
  it.each(makers)('%s', async (_, make) => {
    const { track, identify, durable, flush, on, stats, deadLetters, close } = make(create());
    const invalid: unknown[] = [];
    on('invalid', (error) => invalid.push(error));
    identify(ada.correlationValue);
    track('purchase', { total: 42.5 });
    await durable();
    expect(await flush()).toMatchObject({ pending: 0 });
    for await (const letter of deadLetters.list()) expect(letter).toBeUndefined();
    await close();
    expect(stats().delivered).toBe(1);
    expect(invalid).toEqual([]);
  });
});

describe('timers that a test replaces after the start do not stop `close()`:', () => {
  afterEach(() => mock.timers.reset());

  it.each(['memory', undefined] as const)('journal: %s', async (journal) => {
    const tracker = create({ journal });
    tracker.track('before', {}, ada);
    mock.timers.enable();
    tracker.track('after', {}, ada);
    expect(await tracker.close({ timeoutMs: 5_000 })).toMatchObject({ delivered: 2, pending: 0 });
  });

  it('a service that is away', async () => {
    const tracker = create({ baseUrl: 'http://127.0.0.1:9' });
    mock.timers.enable();
    tracker.track('after', {}, ada);
    expect(await tracker.close({ timeoutMs: 500 })).toMatchObject({ pending: 1 });
  });
});

describe('an event is written when it is to be sent,', () => {
  it('though events may wait for longer until they are written', async () => {
    const tracker = create({ commitIntervalMs: 60_000, batch: { maxWaitMs: 20 } });
    tracker.track('purchase', {}, ada);
    await expect.poll(() => tracker.stats().delivered).toBe(1);
    await tracker.close();
  });
});

describe('a directory that cannot be made', () => {
  it.runIf(process.platform === 'linux')('holds up neither events nor the end', async () => {
    const tracker = create({ journalDirectory: '/proc/nowhere/journal' });
    tracker.track('purchase', {}, ada);
    await expect(tracker.durable()).rejects.toThrow('not durable');
    expect(await tracker.close()).toMatchObject({ delivered: 1, pending: 0 });
  });
});
