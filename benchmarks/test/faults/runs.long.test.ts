import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FaultRow, summary } from '../../src/faults/fault-row.ts';
import { FAULTS } from '../../src/faults/faults.ts';

const MAIN = fileURLToPath(new URL('../../dist/faults/main.js', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'sluice-runs-'));

afterAll(() => rmSync(scratch, { recursive: true, force: true }));

describe('a quick run, built, as a process', () => {
  let rows: FaultRow[] = [];
  let printed = '';
  let exitCode: unknown;

  beforeAll(async () => {
    const path = join(scratch, 'rows.json');
    const run = spawn(process.execPath, [MAIN, '--quick', '--json', path], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    // CI shows this table.
    run.stdout.pipe(process.stdout);
    [printed, [exitCode]] = await Promise.all([text(run.stdout), once(run, 'close')]);
    rows = JSON.parse(readFileSync(path, 'utf8'));
  });

  it.for(FAULTS)('of $name passes, or says why it cannot be made here', ({ name }, { skip }) => {
    const row = rows.find((one) => one.name === name);
    skip(row?.result === 'skipped', row?.problems.join());
    expect(row).toMatchObject({ result: 'passed', lost: 0, problems: [] });
    expect(row?.durable).toBeGreaterThan(0);
  });

  it('ends with what became of its rows, and as its exit code says', () => {
    expect(rows.map(({ name }) => name).sort()).toEqual(FAULTS.map(({ name }) => name).sort());
    expect(printed.trimEnd().split('\n').at(-1)).toBe(summary(rows));
    expect(exitCode).toBe(rows.some(({ result }) => result === 'failed') ? 1 : 0);
  });
});
