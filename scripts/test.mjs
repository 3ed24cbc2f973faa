// Runs all tests, in Node and where possible in a browser; further arguments go to vitest. The last line
// is `N passed, N failed`, and nothing having run counts as a failure.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { countBrowserTestFiles } from './browser-tests.mjs';
import { describePlaces, findChromium } from './chromium.mjs';
import { count, summaryLine } from './test-report.mjs';
import { root } from './workspace.mjs';

const report = join(root, 'reports', 'vitest.json');
rmSync(report, { force: true });
const { status } = spawnSync(
  process.execPath,
  [
    join(root, 'node_modules', 'vitest', 'vitest.mjs'),
    'run',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
    ...process.argv.slice(2),
  ],
  { cwd: root, stdio: 'inherit' },
);

const counts = count(existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : { testResults: [] });
if (counts.failed === 0 && (status !== 0 || counts.passed === 0)) {
  counts.failed = 1; // an error outside of any test, or nothing ran
}
if (!findChromium()) {
  const files = countBrowserTestFiles();
  counts.skipped += files;
  console.log(
    `browser tests skipped: no Chromium found (looked in ${describePlaces()}); set CHROMIUM_PATH.` +
      ` ${files} files count as skipped.`,
  );
}
console.log(summaryLine(counts));
process.exitCode = counts.failed === 0 ? 0 : 1;
