import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './workspace.mjs';

// The packages that run in a browser. All their tests run in a browser too, except those for Node only.
const folders = ['protocol', 'core', 'customers', 'react'].map((name) => `packages/${name}/test`);

/** The tests that run in browsers, as vitest options. */
export const browserTests = {
  include: folders.map((folder) => `${folder}/**/*.test.ts`),
  exclude: ['**/*.{node,long}.test.ts', '**/node_modules/**'],
};

/** The tests that run in browsers only. */
export const browserOnlyTests = folders.map((folder) => `${folder}/**/*.browser.test.ts`);

/** How many test files are skipped if there is no Chromium. */
export function countBrowserTestFiles() {
  return folders
    .map((folder) => join(root, folder))
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' }))
    .filter((file) => file.endsWith('.test.ts') && !/\.(node|long)\.test\.ts$/.test(file)).length;
}
