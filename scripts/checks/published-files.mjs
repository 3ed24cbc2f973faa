// Checks the files for pages without a bundler, as a user gets them.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * @param {string} folder of a project in which the packages are installed
 * @returns {string} what was found
 */
export function checkPublishedFiles(folder) {
  const dist = join(folder, 'node_modules', '@sluice', 'core', 'dist');
  /** @param {string} name */
  const read = (name) => readFileSync(join(dist, name), 'utf8');
  const legal = read('sluice.LEGAL.txt');
  const hashes = Object.entries(JSON.parse(read('integrity.json')));
  for (const [name, hash] of hashes) {
    const code = read(name);
    const actual = `sha384-${createHash('sha384').update(code).digest('base64')}`;
    if (hash !== actual) throw new Error(`integrity.json has ${hash} of ${name}, which has ${actual}`);
    const [, others = ''] = /^\/\*! @sluice\/core \S+, MIT(.*) \*\/\n/.exec(code) ?? [];
    for (const [, other = ''] of others.matchAll(/, and (\S+ \S+, \S+): see sluice\.LEGAL\.txt/g))
      if (!legal.includes(`${other}\n\n`)) throw new Error(`sluice.LEGAL.txt lacks the licence of ${other}`);
    if (!/idb-keyval/.test(others)) throw new Error(`${name} does not name what it contains: ${others}`);
  }
  const { version } = JSON.parse(readFileSync(join(dist, '..', 'package.json'), 'utf8'));
  const recipe = `@sluice/core@${version}/dist/sluice.global.js"\n  integrity="sha384-`;
  if (!read('../docs/in-a-page.md').includes(recipe))
    throw new Error(`docs/in-a-page.md has no <script> with ${recipe}`);
  return `${hashes.length} files with their hashes and licences`;
}
