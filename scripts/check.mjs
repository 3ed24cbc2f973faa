// Runs all checks that a change must pass, and prints one row for each. `--skip NAME` skips a check, such as `tests`.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { browserChecks } from './checks/browser-budgets.mjs';
import { checkCommonJs, checkDeclarations, install } from './checks/consumer.mjs';
import { checkHouse } from './checks/house.mjs';
import { checkLockFile } from './checks/lock-file.mjs';
import { checkMetro } from './checks/metro.mjs';
import { checkPublishedFiles } from './checks/published-files.mjs';
import { report } from './checks/report.mjs';
import { checkExamples, checkJest, checkScriptTag, checkVitest } from './checks/set-ups.mjs';
import { checkStyle, checkTests, checkTypes, checkUnused } from './checks/source.mjs';
import { checkInstallScripts, checkTarball, pack } from './checks/tarball.mjs';
import { packageDirectories, readManifest } from './workspace.mjs';

const directories = packageDirectories();
const temporary = mkdtempSync(join(tmpdir(), 'sluice-check-'));
const consumer = join(temporary, 'consumer');
/** @type {import('./checks/tarball.mjs').Tarball[]} */
const tarballs = [];

async function packAll() {
  // Two at a time: each builds its reference first, which needs one processor.
  for (let from = 0; from < directories.length; from += 2) {
    const pair = directories.slice(from, from + 2).map((directory) => pack(directory, temporary));
    tarballs.push(...(await Promise.all(pair)));
  }
  return `${tarballs.length} packages`;
}

/** @param {string} directory of a package */
function checkPacked(directory) {
  const tarball = tarballs.find(({ name }) => name === readManifest(directory).name);
  if (tarball === undefined) throw new Error('it was not packed');
  return checkTarball(tarball);
}

/** @type {import('./checks/report.mjs').Checks} */
const types = { types: checkTypes };
/** @type {import('./checks/report.mjs').Checks} */
const sources = {
  style: checkStyle,
  unused: checkUnused,
  house: checkHouse,
  'lock file': checkLockFile,
  'install scripts': () => checkInstallScripts(directories),
  tests: checkTests,
};
/** @type {import('./checks/report.mjs').Checks} */
const packing = { pack: packAll };
/** @type {import('./checks/report.mjs').Checks} */
const packages = {
  ...Object.fromEntries(
    directories.map((directory) => [`package ${basename(directory)}`, () => checkPacked(directory)]),
  ),
  install: () => install(consumer, tarballs),
  declarations: () =>
    checkDeclarations(consumer, [
      '@sluice/cli',
      '@sluice/protocol',
      '@sluice/protocol/toolbox',
      '@sluice/core',
      '@sluice/core/browser',
      '@sluice/core/checked',
      '@sluice/core/bounds',
      '@sluice/core/classify',
      '@sluice/core/dead-letters',
      '@sluice/core/event-bytes',
      '@sluice/core/event-writer',
      '@sluice/core/fetch-transport',
      '@sluice/core/destination',
      '@sluice/core/full',
      '@sluice/core/guards',
      '@sluice/core/gzip',
      '@sluice/core/hooks',
      '@sluice/core/inspect',
      '@sluice/core/idempotency',
      '@sluice/core/journal-contract',
      '@sluice/core/learn',
      '@sluice/core/logger',
      '@sluice/core/page-views',
      '@sluice/core/per-customer',
      '@sluice/core/relay-drain',
      '@sluice/core/otel',
      '@sluice/core/react-native',
      '@sluice/core/testing',
      '@sluice/core/text-tracker',
      '@sluice/core/undici-transport',
      '@sluice/core/wait-until',
      '@sluice/customers',
      '@sluice/customers/cache',
      '@sluice/customers/checked',
      '@sluice/customers/concurrency',
      '@sluice/customers/schema',
      '@sluice/postgres',
      '@sluice/relay',
    ]),
  'files for pages': () => checkPublishedFiles(consumer),
  CommonJS: () => checkCommonJs(consumer),
  '<script>': () => checkScriptTag(consumer),
  Jest: () => checkJest(join(temporary, 'jest'), tarballs),
  'React Native': () => checkMetro(consumer),
  ...browserChecks(consumer),
};
/** @type {import('./checks/report.mjs').Checks} */
const examples = {
  examples: () => checkExamples(join(temporary, 'examples'), tarballs),
  vitest: () => checkVitest(join(temporary, 'examples')),
};

const { values } = parseArgs({ options: { skip: { type: 'string', multiple: true, default: [] } } });
for (const group of [types, sources, packing, packages, examples])
  for (const name of values.skip) delete group[name];
const failed = await report(types, sources);
// Alone: it changes the manifests in the workspace for a moment.
failed.push(...(await report(packing)));
failed.push(...(await report(packages, examples)));
rmSync(temporary, { recursive: true, force: true });
console.log(failed.length > 0 ? `check failed: ${failed.join(', ')}` : 'check passed');
process.exitCode = failed.length > 0 ? 1 : 0;
