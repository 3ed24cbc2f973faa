import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './workspace.mjs';

// The packages that run in a browser; every test of theirs that is not for Node alone does so as well.
const folders = ['protocol', 'core', 'customers'].map((name) => `packages/${name}/test`);

/** For vitest. */
export const browserTests = {
  include: folders.map((folder) => `${folder}/**/*.test.ts`),
  exclude: ['**/*.{node,long}.test.ts', '**/node_modules/**'],
};

/** Those of them that run on Node as well. */
export const portableTests = {
  include: browserTests.include,
  exclude: [...browserTests.exclude, '**/*.browser.test.ts'],
};

/** What runs in browsers alone. */
export const browserOnlyTests = folders.map((folder) => `${folder}/**/*.browser.test.ts`);

/** How many files of tests are skipped where there is no Chromium. */
export function countBrowserTestFiles() {
  return folders
    .map((folder) => join(root, folder))
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' }))
    .filter((file) => file.endsWith('.test.ts') && !file.endsWith('.node.test.ts')).length;
}
