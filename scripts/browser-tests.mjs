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

/** The files of tests that run in browsers only, from the root of the project. */
export function browserOnlyFiles() {
  return filesOf((file) => file.endsWith('.browser.test.ts'));
}

/** How many test files are skipped if there is no Chromium. */
export function countBrowserTestFiles() {
  return filesOf((file) => file.endsWith('.test.ts') && !/\.(node|long)\.test\.ts$/.test(file)).length;
}

/** @param {(file: string) => boolean} isOne */
function filesOf(isOne) {
  return folders
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter(isOne)
        .map((file) => `${folder}/${file}`),
    );
}
