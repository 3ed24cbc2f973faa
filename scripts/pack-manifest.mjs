// `prepack` and `postpack` of every package: makes the folder fit to be packed by plain npm, and puts it back.
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isResolved, resolveManifest, restoreManifest } from './manifest.mjs';
import { setUp } from './setup.mjs';

const directory = process.cwd();
const npm = process.ppid;
const [step, watched] = process.argv.slice(2);

if (step === 'restore') {
  restoreManifest(directory);
} else if (step === 'guard') {
  await restoreAfter(Number(watched));
} else if (step === 'resolve' && setUp()) {
  const { plainRanges } = await import('./plain-ranges.mjs'); // it needs what the set-up installs
  removeStale();
  resolveManifest(directory, plainRanges());
  startGuard();
} else {
  process.exitCode = 1;
}

/** tsc leaves behind what it once wrote for a source that is no more. A bundle has no declarations, and is not of tsc. */
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

/** npm runs no `postpack` when it fails or is stopped, so a process outside of it waits for its end. */
function startGuard() {
  const guard = [fileURLToPath(import.meta.url), 'guard', String(npm)];
  spawn(process.execPath, guard, { detached: true, stdio: 'ignore' }).unref();
}

/** @param {number} pid */
async function restoreAfter(pid) {
  while (isRunning(pid) && isResolved(directory)) {
    await sleep(100);
  }
  restoreManifest(directory);
}

/** @param {number} pid */
function isRunning(pid) {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
