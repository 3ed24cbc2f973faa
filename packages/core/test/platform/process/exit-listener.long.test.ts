import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { inspectJournal } from '../../../src/entries/inspect/inspect.ts';

const core = new URL('../../../dist/index.js', import.meta.url).href;

let directory = '';
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-'));
});
afterEach(() => rm(directory, { recursive: true }));

it.each([
  ['calls process.exit()', 'process.exit(3)'],
  ['throws', `throw new Error('as the test asks')`],
])('loses nothing where an older listener of exit %s', async (_, last) => {
  const options = { baseUrl: 'http://127.0.0.1:9', correlationKey: 'email', journalDirectory: directory };
  const code = `
    process.on('exit', () => { ${last}; });
    const { createTracker } = await import(${JSON.stringify(core)});
    const tracker = createTracker({ ...${JSON.stringify(options)}, commitIntervalMs: 3_600_000, batch: { maxWaitMs: 3_600_000 } });
    for (let number = 0; number < 10; number += 1)
      tracker.track('numbered', { number }, { correlationValue: 'ada@example.com' });
    setTimeout(() => process.exit(), 100);`;
  await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', code]).catch(() => undefined);
  const { events } = await inspectJournal(directory);
  const waiting = events.flatMap(({ segments }) => segments.map((segment) => segment.waiting));
  expect(waiting).toEqual([10]);
});
