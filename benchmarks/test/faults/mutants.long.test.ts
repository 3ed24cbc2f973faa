import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { copyCore } from '../../src/faults/simulation/mutants/core-copy.ts';
import { MUTANTS, type Mutant } from '../../src/faults/simulation/mutants/mutants.ts';
import { simulateApart } from '../../src/faults/simulation/simulating.ts';

/** Enough for each of them to be found, whatever the seed. */
const SCHEDULES = 1_000;
/** From here on each of them is found soon: one of them shows in a single schedule of three hundred. */
const SEED = 836;
const SCRIPT = new URL('../../dist/faults/simulation/processes/simulating-process.js', import.meta.url);

const scratch = mkdtempSync(join(tmpdir(), 'sluice-mutants-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** What the simulation says of the built package, with a mistake in it if one is given. */
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
