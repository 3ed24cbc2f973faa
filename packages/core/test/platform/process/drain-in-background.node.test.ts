import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Emulator, startEmulator } from '@sluice/emulator';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { PATIENCE } from '../../../../../testing/patience.ts';
import { createTracker, type TrackerOptions } from '../../../src/index.ts';

const core = new URL('../../../dist/index.js', import.meta.url).href;

let emulator: Emulator;
let directory = '';

beforeAll(async () => {
  emulator = await startEmulator({ primaryKey: 'email' });
});
afterAll(() => emulator.close());
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-'));
});
afterEach(() => rm(directory, { recursive: true, force: true, maxRetries: 5 }));

/** Runs a command-line tool that tracks and ends at once. */
async function runTool(name: string, options: object): Promise<string> {
  const code = `
    const { createTracker } = await import(${JSON.stringify(core)});
    const tracker = createTracker(${JSON.stringify(options)});
    tracker.track(${JSON.stringify(name)}, {}, { correlationValue: 'ada@example.com' });
    console.log(tracker.drainInBackground());
    process.exit();`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', code]);
  return stdout.trim();
}

describe('drainInBackground', () => {
  it('delivers what tools left that ended at once, each event once, and leaves nothing behind', async () => {
    const { baseUrl, apiKey } = emulator;
    const journalDirectory = join(directory, 'journal');
    const options = { baseUrl, apiKey, correlationKey: 'email', journalDirectory };
    for (const name of ['first', 'second', 'third']) expect(await runTool(name, options)).toBe('true');
    await vi.waitFor(async () => {
      for (const name of ['first', 'second', 'third'])
        expect(await emulator.countEvents({ name })).toEqual({ unique: 1, received: 1 });
    }, PATIENCE);
    await vi.waitFor(async () => expect(await readdir(journalDirectory)).toEqual([]), PATIENCE);
  });

  it.each<[string, Partial<TrackerOptions>]>([
    ['a journal in memory', { journal: 'memory' }],
    ['a transport of the user', { transport: { post: async () => Promise.reject(), close: async () => {} } }],
    ['a dispatcher of the user', { delivery: { dispatcher: { dispatch: () => false } } }],
  ])('says that it cannot with %s', async (_, options) => {
    const { baseUrl } = emulator;
    const journalDirectory = options.journal ? undefined : directory;
    const tracker = createTracker({ baseUrl, correlationKey: 'email', journalDirectory, ...options });
    expect(tracker.drainInBackground()).toBe(false);
    await tracker.close({ timeoutMs: 0 });
  });
});
