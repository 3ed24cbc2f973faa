import { createHash } from 'node:crypto';
import { copyFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { command } from '../checks/command.mjs';
import { root } from '../workspace.mjs';

/**
 * Builds and packs the last commit in two clones. Throws if their tarballs differ: then nobody could check what was published.
 * @param {string} temporary folder of the clones
 * @param {string} folder that gets the tarballs
 */
export async function packTwice(temporary, folder) {
  const commit = (await command('git', ['rev-parse', 'HEAD'], { cwd: root })).trim();
  const first = await packIn(join(temporary, 'one'), commit);
  const second = await packIn(join(temporary, 'another'), commit);
  const different = Object.keys(first.hashes).filter((name) => first.hashes[name] !== second.hashes[name]);
  if (different.length > 0) throw new Error(`not the same bytes: ${different.join(', ')}`);
  for (const name of Object.keys(first.hashes)) copyFileSync(join(first.packed, name), join(folder, name));
  return `${Object.keys(first.hashes).length} tarballs, the same bytes`;
}

/**
 * @param {string} clone
 * @param {string} commit
 */
async function packIn(clone, commit) {
  await command('git', ['clone', '--quiet', '--no-checkout', root, clone]);
  await command('git', ['checkout', '--quiet', '--detach', commit], { cwd: clone });
  await command('npm', ['run', 'pack:all'], { cwd: clone });
  const packed = join(clone, 'packed');
  /** @type {Record<string, string>} */
  const hashes = {};
  for (const name of readdirSync(packed))
    hashes[name] = createHash('sha256')
      .update(readFileSync(join(packed, name)))
      .digest('hex');
  return { packed, hashes };
}
