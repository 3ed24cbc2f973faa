// `node scripts/run.mjs [PROGRAM [ARGUMENTS]]` sets the workspace up and then becomes that program: in this
// very process, so that a signal meant for the program reaches it.
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { setUp } from './setup.mjs';
import { root } from './workspace.mjs';

const [program, ...args] = process.argv.slice(2);
if (!setUp()) {
  process.exitCode = 1;
} else if (program) {
  const path = resolve(root, program);
  process.argv = [process.execPath, path, ...args];
  await import(pathToFileURL(path).href);
}
