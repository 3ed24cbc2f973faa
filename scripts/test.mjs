// Runs the tests that scripts/test-tiers.mjs lists. `--long`, as the first argument, runs the long ones; `--soak` all
// tests, with all their cases.
// `--browser chromium|firefox|webkit` runs those of one browser. Other arguments go to vitest. The last line is
// `N passed, N failed`, with `, N skipped` if tests were skipped. If no test passed, that counts as a failure.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { whyNoPgBouncer, whyNoPostgres } from '@sluice/test-servers';
import { browserOnlyFiles, countBrowserTestFiles } from './browser-tests.mjs';
import { findEngines } from './engines.mjs';
import { count, summaryLine } from './test-report.mjs';
import { tiers } from './test-tiers.mjs';
import { root } from './workspace.mjs';

const args = process.argv.slice(2);
const isSoak = args[0] === '--soak';
const isLong = isSoak || args[0] === '--long';
if (isLong) args.shift();
if (isSoak) process.env.FULL = '1';
let projects = isSoak ? [...tiers.short, ...tiers.long] : isLong ? tiers.long : tiers.short;
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
    // A browser that was asked for by name must be there. Without a name, what is missing is skipped.
    if (engine) console.log(summaryLine({ passed: 0, failed: 1, skipped: 0 }));
    process.exit(engine ? 1 : 2);
  }
  projects = [name];
}

/**
 * WebKitGTK lets go of some connections late: after too many of them, it loads nothing more, and vitest waits for it for ever. So
 * its tests run a few files at a time, and alone what ends pages while they make requests. If that hangs, each of these files runs
 * alone; and it runs again if that hangs too.
 */
const WEBKIT = {
  together: 6,
  alone: 'packages/core/test/whole/page/tabs.browser.test.ts',
  tries: 3,
  seconds: 60,
};
const HUNG = 124; // the exit code of scripts/time-limit.mjs

/**
 * @param {readonly string[]} names of projects
 * @param {number} [seconds] after which the run ends; left out: none
 * @param {readonly string[]} more arguments of vitest
 */
async function run(names, seconds, more = []) {
  const report = join(root, 'reports', `vitest-${names.join('-')}.json`);
  rmSync(report, { force: true });
  const limit = seconds ? [join(root, 'scripts', 'time-limit.mjs'), String(seconds), process.execPath] : [];
  const child = spawn(
    process.execPath,
    [
      ...limit,
      join(root, 'node_modules', 'vitest', 'vitest.mjs'),
      'run',
      '--reporter=default',
      '--reporter=json',
      `--reporter=${join(root, 'scripts', 'project-report.mjs')}`,
      `--outputFile.json=${report}`,
      '--passWithNoTests',
      ...names.map((name) => `--project=${name}`),
      ...more,
      ...args,
    ],
    { cwd: root, stdio: 'inherit' },
  );
  const [status] = await once(child, 'close');
  const counts = count(existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : { testResults: [] });
  if (counts.failed === 0 && status !== 0) {
    counts.failed = 1;
    const why =
      status === HUNG ? `no end within ${seconds} s` : `an error outside of the tests, exit code ${status}`;
    console.log(`FAIL ${names.join(', ')}: ${why}`);
  }
  return { ...counts, isHung: status === HUNG };
}

const counts = { passed: 0, failed: 0, skipped: 0 };

/** @param {typeof counts} more */
function add({ passed, failed, skipped }) {
  counts.passed += passed;
  counts.failed += failed;
  counts.skipped += skipped;
}

const others = projects.filter((name) => name !== 'webkit');
if (others.length > 0) add(await run(others));
// Alone: beside others, it hangs more often.
if (projects.includes('webkit') && engines.some(({ name, isFound }) => name === 'webkit' && isFound)) {
  const { together, alone, tries, seconds } = WEBKIT;
  const files = browserOnlyFiles().filter((file) => file !== alone);
  const parts = [[alone]];
  while (files.length > 0) parts.push(files.splice(0, together));
  // With other arguments, vitest chooses the files.
  for (const part of args.length > 0 ? [[]] : parts) {
    let result = await run(['webkit'], seconds, part);
    if (!result.isHung) {
      add(result);
      continue;
    }
    for (const one of part.length > 0 ? part.map((file) => [file]) : [part]) {
      for (let time = 0; time === 0 || (result.isHung && time < tries); time += 1)
        result = await run(['webkit'], seconds, one);
      add(result);
    }
  }
}
for (const { name, hint } of engines.filter((one) => !one.isFound && projects.includes(one.name))) {
  console.log(`no tests in ${name}: ${hint}`);
  if (name === 'chromium') counts.skipped += countBrowserTestFiles();
}
if (asked < 0)
  for (const why of [whyNoPostgres(), whyNoPgBouncer()])
    if (why) console.log(`some tests were skipped: ${why}`);
if (isLong && process.env.SLUICE_LEAVES_EXAMPLES)
  console.log(
    'The examples that users copy are left to npm run check, which tests them with the packed packages.',
  );
if (isLong && !process.env.FULL) console.log('Of what takes longest, some cases ran; npm run soak runs all.');
if (counts.failed === 0 && counts.passed === 0) counts.failed = 1;
console.log(summaryLine(counts));
process.exitCode = counts.failed === 0 ? 0 : 1;
