// The checks that need only the sources, not the packed packages.
import { join } from 'node:path';
import { root } from '../workspace.mjs';
import { command, tool } from './command.mjs';

export async function checkTypes() {
  const turbo = ['exec', 'turbo', 'run', 'typecheck', '--output-logs=errors-only'];
  await command(process.execPath, [join(root, 'scripts', 'pnpm.mjs'), ...turbo]);
  return 'every package and the root';
}

export async function checkStyle() {
  await tool('biome', ['ci', '--error-on-warnings', '--colors=off']);
  return 'formatted, no finding';
}

export async function checkUnused() {
  await tool('knip', []);
  return 'no unused file, export or dependency';
}

export async function checkTests() {
  const output = await command(process.execPath, [join(root, 'scripts', 'test.mjs')]);
  return output.trim().split('\n').at(-1) ?? '';
}
