// Makes the project of a user: an empty folder, into which plain npm installs the tarballs.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { command, tool } from './command.mjs';

/**
 * @param {string} folder
 * @param {readonly import('./tarball.mjs').Tarball[]} tarballs
 */
export function install(folder, tarballs) {
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{ "name": "consumer", "private": true, "type": "module" }\n');
  const files = tarballs.map(({ file }) => file);
  command('npm', ['install', '--no-audit', '--no-fund', ...files], { cwd: folder });
  const imports = tarballs.map(({ name }) => `await import(${JSON.stringify(name)});`).join('\n');
  command(process.execPath, ['--input-type=module', '--eval', imports], { cwd: folder });
  return `${tarballs.length} packages install with npm and import`;
}

/**
 * Checks the type declarations without @types/node, because projects for browsers do not have it.
 * @param {string} folder
 * @param {readonly string[]} names of packages
 */
export function checkDeclarations(folder, names) {
  const source = names.map((name, index) => `export * as p${index} from '${name}';\n`).join('');
  writeFileSync(join(folder, 'declarations.ts'), source);
  const options =
    '--noEmit --strict --target es2022 --module nodenext --lib es2022,esnext.disposable,dom --types';
  tool('tsc', [...options.split(' '), '', '--ignoreConfig', 'declarations.ts'], { cwd: folder });
  return `${names.length} packages without @types/node`;
}
