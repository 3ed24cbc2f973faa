// `npm run pack:all [-- FOLDER]` packs all packages. They depend on each other, so they install together.
import { mkdirSync } from 'node:fs';
import { basename, relative, resolve } from 'node:path';
import { pack } from './checks/tarball.mjs';
import { packageDirectories } from './workspace.mjs';

const [given = 'packed'] = process.argv.slice(2);
const folder = resolve(given);
mkdirSync(folder, { recursive: true });
for (const directory of packageDirectories()) {
  const { file } = await pack(directory, folder);
  console.log(basename(file));
}
console.log(`\nIn your project: npm install ${relative(process.cwd(), folder) || '.'}/*.tgz`);
