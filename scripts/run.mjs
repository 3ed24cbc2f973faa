// `node scripts/run.mjs [PROGRAM [ARGUMENTS]]` sets up the workspace and then runs the program. The program runs in this same
// process, so that signals reach it.
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { setUp } from './setup.mjs';
import { root } from './workspace.mjs';

const [program, ...args] = process.argv.slice(2);
if (!setUp()) {
  process.exitCode = 1;
} else if (program) {
  process.env.SLUICE_IS_SET_UP = 'true'; // scripts/pack-manifest.mjs need not do it again for each package
  const path = resolve(root, program);
  process.argv = [process.execPath, path, ...args];
  await import(pathToFileURL(path).href);
}
