import { command } from '../checks/command.mjs';

/** The checks read these files, and the tarballs come from the last commit: they must be the same. */
export async function checkCommitted() {
  const changed = await command('git', ['status', '--porcelain']);
  if (changed !== '') throw new Error(`commit these files first, or remove them:\n${changed.trimEnd()}`);
  return 'no changed files';
}
