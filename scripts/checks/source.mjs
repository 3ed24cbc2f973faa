// The checks that need only the sources, not the packed packages.
import { join } from 'node:path';
import { withPnpm } from '../pnpm.mjs';
import { root } from '../workspace.mjs';
import { command, tool } from './command.mjs';

export function checkTypes() {
  const { status, output } = withPnpm(['pnpm exec turbo run typecheck --output-logs=errors-only']);
  if (status !== 0) {
    throw new Error(output);
  }
  return 'every package and the root';
}

export function checkStyle() {
  tool('biome', ['ci', '--error-on-warnings', '--colors=off']);
  return 'formatted, no finding';
}

export function checkUnused() {
  tool('knip', []);
  return 'no unused file, export or dependency';
}

export function checkTests() {
  const output = command(process.execPath, [join(root, 'scripts', 'test.mjs')]);
  return output.trim().split('\n').at(-1) ?? '';
}
