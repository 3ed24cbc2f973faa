import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import type { FaultRow } from '../../src/faults/fault-row.ts';

const MAIN = fileURLToPath(new URL('../../dist/faults/main.js', import.meta.url));
const TIMEOUT_MS = 120_000;
const NAMES = [
  ...['sigkill', 'last-moment', 'damaged-journals', 'power-cut', 'power-cut-interval'],
  ...['nth-operation-fails', 'full-disk', 'many-owners', 'hostile-service', 'long-outage', 'day-of-backlog'],
];
const scratch = mkdtempSync(join(tmpdir(), 'sluice-runs-'));

afterAll(() => rmSync(scratch, { recursive: true, force: true }));

describe.concurrent('a quick run, built, as a process', { timeout: TIMEOUT_MS }, () => {
  it.each(NAMES)('of %s passes, or says why it cannot be made here', async (name) => {
    const path = join(scratch, `${name}.json`);
    const run = promisify(execFile)(process.execPath, [MAIN, '--quick', '--only', name, '--json', path]);
    const { stdout } = await run.catch((error: { stdout: string }) => error);
    const [row]: FaultRow[] = JSON.parse(readFileSync(path, 'utf8'));
    if (row?.result === 'skipped') {
      expect(row.problems.join()).not.toBe('');
      expect(stdout).toMatch(/^0 passed, 0 failed, 1 skipped$/m);
    } else {
      expect(row).toMatchObject({ name, result: 'passed', lost: 0, problems: [] });
      expect(row?.durable).toBeGreaterThan(0);
      expect(stdout).toMatch(/^1 passed, 0 failed, 0 skipped$/m);
    }
  });
});
