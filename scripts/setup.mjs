// Every root command does this first: install what the lock file says, and build what has changed. Both steps are quick if
// there is nothing to do, so they always run. Nothing is printed on standard output.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { recoverDocuments } from './documents.mjs';
import { recoverManifests } from './manifest.mjs';
import { withPnpm } from './pnpm.mjs';
import { root } from './workspace.mjs';

/** For whoever waits longer than that. */
const NOTICE = `setTimeout(() => console.error('Building what has changed.'), 3_000)`;

/** @returns {boolean} whether the workspace is ready; if not, the reason was printed */
export function setUp() {
  recoverManifests();
  recoverDocuments();
  const isFirst = !existsSync(join(root, 'node_modules', '.modules.yaml'));
  if (isFirst) console.error('Installing and building; this takes a little longer the first time.');
  // In a process of its own: this one waits below, and cannot say so.
  const notice = isFirst
    ? undefined
    : spawn(process.execPath, ['-e', NOTICE], { stdio: ['ignore', 'ignore', 'inherit'] });
  const { status, output } = withPnpm([
    'pnpm install --frozen-lockfile --reporter=append-only',
    'pnpm exec turbo run build --output-logs=errors-only',
  ]);
  notice?.kill();
  if (status !== 0) {
    console.error(`${output}\nSluice could not be installed or built; what went wrong stands above.`);
  }
  return status === 0;
}
