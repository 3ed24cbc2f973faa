// Runs all tests, in Node and in the browsers that are there: all that can run in one in Chromium, in the others what is for
// browsers alone. `--browser chromium|firefox|webkit` runs those of one browser; further arguments go to vitest. The last
// line is `N passed, N failed`, and nothing having run counts as a failure.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { countBrowserTestFiles } from './browser-tests.mjs';
import { describePlaces, findChromium } from './chromium.mjs';
import { findEngines } from './engines.mjs';
import { count, summaryLine } from './test-report.mjs';
import { root } from './workspace.mjs';

const args = process.argv.slice(2);
const engines = findEngines();
const asked = args.indexOf('--browser');
if (asked >= 0) {
  const name = args[asked + 1] ?? '';
  args.splice(asked, 2, '--project', name);
  const engine = engines.find((one) => one.name === name);
  if (!engine?.isFound) {
    const known = engines.map((one) => one.name).join(', ');
    console.log(engine ? `no ${name} found: ${engine.hint}` : `--browser is one of ${known}, got "${name}"`);
    process.exit(engine ? 0 : 2);
  }
}

const report = join(root, 'reports', 'vitest.json');
rmSync(report, { force: true });
const { status } = spawnSync(
  process.execPath,
  [
    join(root, 'node_modules', 'vitest', 'vitest.mjs'),
    'run',
    '--reporter=default',
    '--reporter=json',
    `--reporter=${join(root, 'scripts', 'project-report.mjs')}`,
    `--outputFile.json=${report}`,
    ...args,
  ],
  { cwd: root, stdio: 'inherit' },
);

const counts = count(existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : { testResults: [] });
if (counts.failed === 0 && (status !== 0 || counts.passed === 0)) {
  counts.failed = 1; // an error outside of any test, or nothing ran
}
for (const { name, hint } of engines.filter(({ isFound }) => !isFound)) {
  console.log(`no tests in ${name}, which was not found: ${hint}`);
}
if (!findChromium()) {
  const files = countBrowserTestFiles();
  counts.skipped += files;
  console.log(`looked for Chromium in ${describePlaces()}; ${files} files count as skipped.`);
}
console.log(summaryLine(counts));
process.exitCode = counts.failed === 0 ? 0 : 1;
