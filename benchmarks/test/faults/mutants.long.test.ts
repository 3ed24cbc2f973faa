import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { copyCore } from '../../src/faults/simulation/mutants/core-copy.ts';
import { MUTANTS, type Mutant } from '../../src/faults/simulation/mutants/mutants.ts';
import { simulateApart } from '../../src/faults/simulation/simulating.ts';

/** Enough to find each of them, with any seed. */
const SCHEDULES = 1_000;
/** With this seed each of them is found soon: one shows in only one of three hundred schedules. */
const SEED = 836;
const SCRIPT = new URL('../../dist/faults/simulation/processes/simulating-process.js', import.meta.url);

const scratch = mkdtempSync(join(tmpdir(), 'sluice-mutants-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** The problems that the simulation finds in the built package. If a mutant is given, the package has its mistake. */
async function problemsOf(mutant?: Mutant): Promise<readonly string[]> {
  const core = mkdtempSync(join(scratch, 'core-'));
  copyCore(core, mutant);
  const settings = { seed: SEED, first: 0, step: 1, count: SCHEDULES, mostFailures: 1, core };
  const { failures } = await simulateApart(settings, SCRIPT);
  return failures.flatMap(({ problems }) => problems);
}

describe('the simulation', () => {
  it.each(MUTANTS)('finds that it $name', async (mutant) => {
    expect(await problemsOf(mutant)).not.toEqual([]);
  });

  it('finds nothing in a copy without a mistake', async () => {
    expect(await problemsOf()).toEqual([]);
  });
});
