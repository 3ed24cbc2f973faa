import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../workspace.mjs';

/** Throws if the lock file holds a URL. It would force every developer to use the registry of the person who wrote the file. */
export function checkLockFile() {
  const found = readFileSync(join(root, 'pnpm-lock.yaml'), 'utf8')
    .split('\n')
    .filter((line) => /https?:\/\/|tarball:/.test(line) && !/^\s*deprecated:/.test(line));
  if (found.length > 0) {
    throw new Error(`pnpm-lock.yaml holds addresses:\n${found.join('\n')}`);
  }
  return 'no registry address';
}
