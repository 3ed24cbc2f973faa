// Runs the tests that scripts/test-tiers.mjs lists. `--long`, as the first argument, runs the long ones.
// `--browser chromium|firefox|webkit` runs those of one browser. Other arguments go to vitest. The last line is
// `N passed, N failed`, with `, N skipped` if tests were skipped. If no test passed, that counts as a failure.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { countBrowserTestFiles } from './browser-tests.mjs';
import { findEngines } from './engines.mjs';
import { count, summaryLine } from './test-report.mjs';
import { tiers } from './test-tiers.mjs';
import { root } from './workspace.mjs';

const args = process.argv.slice(2);
const isLong = args[0] === '--long';
if (isLong) args.shift();
let projects = isLong ? tiers.long : tiers.short;
const engines = findEngines();
const asked = args.indexOf('--browser');
if (asked >= 0) {
  const [, name = ''] = args.splice(asked, 2);
  const engine = engines.find((one) => one.name === name);
  if (!engine?.isFound) {
    const known = engines.map((one) => one.name).join(', ');
    console.log(
      engine ? `no tests in ${name}: ${engine.hint}` : `--browser is one of ${known}, got "${name}"`,
    );
    process.exit(engine ? 0 : 2);
  }
  projects = [name];
}

const report = join(root, 'reports', isLong ? 'vitest-long.json' : 'vitest.json');
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
    ...projects.map((name) => `--project=${name}`),
    ...args,
  ],
  { cwd: root, stdio: 'inherit' },
);

const counts = count(existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : { testResults: [] });
if (counts.failed === 0 && (status !== 0 || counts.passed === 0)) {
  counts.failed = 1; // an error outside of the tests, or no test passed
}
for (const { name, hint } of engines.filter((one) => !one.isFound && projects.includes(one.name))) {
  console.log(`no tests in ${name}: ${hint}`);
  if (name === 'chromium') counts.skipped += countBrowserTestFiles();
}
console.log(summaryLine(counts));
process.exitCode = counts.failed === 0 ? 0 : 1;
