// Runs as `prepack` and `postpack` of every package. Prepares the folder so that plain npm can pack it, and restores it later.
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { carryDocuments, hasDocuments, returnDocuments } from './documents.mjs';
import { isResolved, resolveManifest, restoreManifest } from './manifest.mjs';
import { referencePage } from './reference/page.mjs';
import { setUp } from './setup.mjs';

const directory = process.cwd();
const npm = process.ppid;
const [step, watched] = process.argv.slice(2);

if (step === 'restore') {
  restore();
} else if (step === 'guard') {
  await restoreAfter(Number(watched));
} else if (step === 'resolve' && (process.env.SLUICE_IS_SET_UP || setUp())) {
  const { plainRanges } = await import('./plain-ranges.mjs'); // imported here, because it needs what setUp() installs
  removeStale();
  resolveManifest(directory, plainRanges());
  writeFileSync(join(directory, 'REFERENCE.md'), referencePage(directory));
  carryDocuments(directory);
  startGuard();
} else {
  process.exitCode = 1;
}

/** Removes output of tsc whose source was deleted: tsc does not. A .js file without declarations is a bundle, and stays. */
function removeStale() {
  const files = readdirSync(join(directory, 'dist'), { recursive: true, encoding: 'utf8' });
  for (const file of files) {
    if (file.endsWith('.js') && !files.includes(file.replace(/js$/, 'd.ts'))) continue;
    const source = file.replace(/(\.d\.ts|\.js)(\.map)?$/, '.ts');
    if (source !== file && !existsSync(join(directory, 'src', source))) {
      rmSync(join(directory, 'dist', file));
    }
  }
}

/** npm does not run `postpack` if it fails or is stopped. So a separate process waits until npm ends, and then restores. */
function startGuard() {
  const guard = [fileURLToPath(import.meta.url), 'guard', String(npm)];
  spawn(process.execPath, guard, { detached: true, stdio: 'ignore' }).unref();
}

/** @param {number} pid */
async function restoreAfter(pid) {
  while (isRunning(pid) && (isResolved(directory) || hasDocuments(directory))) {
    await sleep(100);
  }
  restore();
}

function restore() {
  restoreManifest(directory);
  returnDocuments(directory);
}

/** @param {number} pid */
function isRunning(pid) {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
