import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { copyCore } from '../../src/faults/simulation/mutants/core-copy.ts';
import { MUTANTS, type Mutant, TESTED_MUTANTS } from '../../src/faults/simulation/mutants/mutants.ts';
import type { SimulatingTold } from '../../src/faults/simulation/processes/messages.ts';
import { simulateApart } from '../../src/faults/simulation/simulating.ts';

/** Enough to find each of them, with any seed. */
const SCHEDULES = 1_000;
/** With this seed each of them is found soon: one shows in only one of three hundred schedules. */
const SEED = 836;
/** Without a mistake at least these schedules run. More are for the row `simulation` of npm run faults. */
const LEAST = 100;
const VITEST = fileURLToPath(new URL('../../../node_modules/vitest/vitest.mjs', import.meta.url));
const CONFIG = fileURLToPath(new URL('./mutated.config.ts', import.meta.url));
const SCRIPT = new URL('../../dist/faults/simulation/processes/simulating-process.js', import.meta.url);

const scratch = mkdtempSync(join(tmpdir(), 'sluice-mutants-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** Simulates the built package. If a mutant is given, the package has its mistake. */
function simulated(count: number, mutant?: Mutant): Promise<SimulatingTold> {
  const core = mkdtempSync(join(scratch, 'core-'));
  copyCore(core, mutant);
  return simulateApart({ seed: SEED, first: 0, step: 1, count, mostFailures: 1, core }, SCRIPT);
}

/** Runs tests of the package until one fails, and counts them. If a mutant is named, the package has its mistake. */
async function countTests(
  files: readonly string[],
  mutant = '',
): Promise<{ passed: number; failed: number }> {
  const report = join(mkdtempSync(join(scratch, 'tests-')), 'report.json');
  const flags = ['--bail=1', '--reporter=json', `--outputFile=${report}`];
  const args = [VITEST, 'run', '--config', CONFIG, ...flags, ...files];
  const env = { ...process.env, SLUICE_MUTANT: mutant };
  await once(spawn(process.execPath, args, { env, stdio: 'ignore' }), 'close');
  const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(report, 'utf8'));
  return { passed: numPassedTests, failed: numFailedTests };
}

describe('the simulation', () => {
  let most = LEAST;

  it.each(MUTANTS)('finds that it $name', async (mutant) => {
    const { failures, schedules } = await simulated(SCHEDULES, mutant);
    expect(failures).not.toEqual([]);
    most = Math.max(most, schedules);
  });

  it('finds nothing in a copy without a mistake, with as many schedules', async () => {
    expect((await simulated(most)).failures).toEqual([]);
  });
});

describe('the tests', () => {
  it.each(TESTED_MUTANTS)('find that it $name', async ({ name, test }) => {
    expect((await countTests([test], name)).failed).toBeGreaterThan(0);
  });

  it('find nothing where there is no mistake', async () => {
    const { passed, failed } = await countTests(TESTED_MUTANTS.map(({ test }) => test));
    expect([passed > 0, failed]).toEqual([true, 0]);
  });
});
