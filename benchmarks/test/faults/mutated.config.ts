// Runs the tests that find mistakes in core, on its sources: with each mistake and with none, each in a project. Writes the
// project, the name and the state of each test to the file that SLUICE_FOUND names.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig, type TestProjectConfiguration } from 'vitest/config';
import type { Reporter } from 'vitest/node';
import { few } from '../../../testing/full.ts';
import { PATIENCE } from '../../../testing/patience.ts';
import {
  mutate,
  NO_MISTAKE,
  TESTED_MUTANTS,
  type TestedMutant,
} from '../../src/faults/simulation/mutants/mutants.ts';

const conditions = ['@sluice/source', 'node', 'development|production'];
const HANG_MS = 180_000;
/** The test looks for the same ones. */
const MUTANTS = few(3, TESTED_MUTANTS);

const project = (name: string, mutants: readonly TestedMutant[]): TestProjectConfiguration => ({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  plugins: [
    {
      name: 'mutant',
      enforce: 'pre',
      transform(code, path) {
        const mutant = mutants.find((one) => one.name === name && path.endsWith(`/core/src/${one.file}.ts`));
        return mutant && mutate(code, mutant);
      },
    },
  ],
  test: {
    name,
    include: mutants.map(({ test }) => `test/${test}`),
    testTimeout: HANG_MS,
    hookTimeout: HANG_MS,
    expect: { poll: PATIENCE },
  },
});

const reporter: Reporter = {
  onTestRunEnd(modules) {
    const found = modules.flatMap(({ project, children }) =>
      [...children.allTests()].map((test) => [project.name, test.name, test.result().state]),
    );
    writeFileSync(process.env.SLUICE_FOUND ?? '', JSON.stringify(found));
  },
};

export default defineConfig({
  root: fileURLToPath(new URL('../../../packages/core', import.meta.url)),
  test: {
    projects: [project(NO_MISTAKE, MUTANTS), ...MUTANTS.map((mutant) => project(mutant.name, [mutant]))],
    testNamePattern: new RegExp(MUTANTS.map(({ finder }) => `${finder}$`).join('|')),
    reporters: [reporter],
  },
});
