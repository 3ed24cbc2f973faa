import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { few } from '../../../testing/full.ts';
import { copyCore } from '../../src/faults/simulation/mutants/core-copy.ts';
import {
  MUTANTS,
  type Mutant,
  NO_MISTAKE,
  TESTED_MUTANTS,
} from '../../src/faults/simulation/mutants/mutants.ts';
import type { SimulatingTold } from '../../src/faults/simulation/processes/messages.ts';
import { simulateApart } from '../../src/faults/simulation/simulating.ts';

/** Enough to find each of them, with any seed. */
const SCHEDULES = 1_000;
/** With this seed, most of them show in the first fifteen schedules. */
const SEED = 836;
const VITEST = fileURLToPath(new URL('../../../node_modules/vitest/vitest.mjs', import.meta.url));
const CONFIG = fileURLToPath(new URL('./mutated.config.ts', import.meta.url));
const SCRIPT = new URL('../../dist/faults/simulation/processes/simulating-process.js', import.meta.url);

/** Without FULL: for each thing that a simulation checks, a mistake that breaks it. */
const SIMULATED = few(6, MUTANTS);
/** As in the configuration. */
const TESTED = few(3, TESTED_MUTANTS);

const scratch = mkdtempSync(join(tmpdir(), 'sluice-mutants-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** Simulates the built package. If a mutant is given, the package has its mistake. */
function simulated(seed: number, count: number, mutant?: Mutant): Promise<SimulatingTold> {
  const core = mkdtempSync(join(scratch, 'core-'));
  copyCore(core, mutant);
  return simulateApart({ seed, first: 0, step: 1, count, mostFailures: 1, core }, SCRIPT);
}

/** A test that ran in a project of `mutated.config.ts`. */
type Found = readonly [project: string, name: string, state: string];

/** Runs the tests that find mutants, in one run: with each mistake, and with none. */
async function runTests(): Promise<Found[]> {
  const path = join(scratch, 'found.json');
  const env = { ...process.env, SLUICE_FOUND: path };
  await once(spawn(process.execPath, [VITEST, 'run', '--config', CONFIG], { env, stdio: 'ignore' }), 'close');
  return JSON.parse(readFileSync(path, 'utf8'));
}

describe('the simulation', () => {
  /** How many schedules were necessary, by their seed. */
  const needed = new Map<number, number>();

  it.each(SIMULATED)('finds that it $name', async ({ seed = SEED, ...mutant }) => {
    const { failures, schedules } = await simulated(seed, SCHEDULES, mutant);
    expect(failures).not.toEqual([]);
    needed.set(seed, Math.max(needed.get(seed) ?? 0, schedules));
  });

  // Many more schedules without a mistake are for the row `simulation` of npm run faults.
  it('finds nothing in the same schedules of a copy without a mistake', async () => {
    for (const seed of new Set(SIMULATED.map(({ seed = SEED }) => seed)))
      expect((await simulated(seed, needed.get(seed) ?? SCHEDULES)).failures).toEqual([]);
  });
});

describe('the tests', () => {
  let found: readonly Found[] = [];
  beforeAll(async () => {
    found = await runTests();
  });

  const namesOf = (project: string, state: string) =>
    found.filter((one) => one[0] === project && one[2] === state).map(([, name]) => name);

  it.each(TESTED)('find that it $name', ({ name, finder }) => {
    expect(namesOf(name, 'failed')).toEqual([expect.stringContaining(finder)]);
  });

  it('find nothing where there is no mistake', () => {
    expect(namesOf(NO_MISTAKE, 'failed')).toEqual([]);
    expect(namesOf(NO_MISTAKE, 'passed')).toHaveLength(TESTED.length);
  });
});
