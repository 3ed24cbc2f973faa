// Runs tests of core on its sources with the mistake that SLUICE_MUTANT names.
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { PATIENCE } from '../../../testing/patience.ts';
import { mutate, TESTED_MUTANTS } from '../../src/faults/simulation/mutants/mutants.ts';

const mutant = TESTED_MUTANTS.find(({ name }) => name === process.env.SLUICE_MUTANT);
const conditions = ['@sluice/source', 'node', 'development|production'];
const HANG_MS = 180_000;

export default defineConfig({
  root: fileURLToPath(new URL('../../../packages/core', import.meta.url)),
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  plugins: [
    {
      name: 'mutant',
      enforce: 'pre',
      transform: (code, path) =>
        mutant && path.endsWith(`/core/src/${mutant.file}.ts`) ? mutate(code, mutant) : undefined,
    },
  ],
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: HANG_MS,
    hookTimeout: HANG_MS,
    expect: { poll: PATIENCE },
  },
});
