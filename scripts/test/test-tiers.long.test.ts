import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findEngines } from '../engines.mjs';
import { tiers } from '../test-tiers.mjs';
import { root } from '../workspace.mjs';

interface Listed {
  readonly file: string;
  readonly projectName: string;
}

const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
const printed = execFileSync(process.execPath, [vitest, 'list', '--filesOnly', '--json'], {
  cwd: root,
  encoding: 'utf8',
  // With the examples that `npm run check` installs and tests.
  env: { ...process.env, SLUICE_EXAMPLES: root },
});
const listed: Listed[] = JSON.parse(printed);

/** Without a browser, nobody runs the tests that are for browsers only: `npm test` counts them as skipped. */
const hasBrowser = findEngines().some(({ isFound }) => isFound);

test('every file of tests is run', () => {
  const known = new Set(listed.map(({ file }) => file));
  const all = ['packages', 'examples', 'benchmarks', 'scripts'].flatMap((name) => {
    const folder = join(root, name);
    return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file));
  });
  const tests = all.filter((file) => file.endsWith('.test.ts') && !file.includes('node_modules'));
  const unknown = tests.filter((file) => !known.has(file));
  expect(unknown.filter((file) => hasBrowser || !file.endsWith('.browser.test.ts'))).toEqual([]);
});

test('each project is of one tier, and the short one has no file that is called long', () => {
  for (const { file, projectName } of listed) {
    const isShort = tiers.short.includes(projectName);
    expect([projectName, tiers.long.includes(projectName)]).toEqual([projectName, !isShort]);
    expect([file, isShort && file.endsWith('.long.test.ts')]).toEqual([file, false]);
  }
});
