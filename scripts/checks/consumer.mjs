// Makes the project of a user: an empty folder, into which plain npm installs the tarballs.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { command, tool } from './command.mjs';

const CHECKED = '--strict --target es2022 --lib es2022,esnext.disposable,dom --ignoreConfig --types'.split(
  ' ',
);
const use = `const tracker: Tracker = createTracker({ baseUrl: 'http://127.0.0.1:9', correlationKey: 'email', journal: 'memory' });
tracker.track('event', {}, { correlationValue: 'ada@example.com' });
if (tracker.stats().accepted !== 1) throw new Error('no event was taken');`;
/** CommonJS, by the setting `module` of TypeScript: with `node16`, TypeScript refuses to `require()` an ES module. */
const COMMON_JS = {
  node16: `import type { Tracker } from '@sluice/core' with { 'resolution-mode': 'import' };
void import('@sluice/core').then(({ createTracker }) => { ${use} });\n`,
  node20: `import { createTracker, type Tracker } from '@sluice/core';\n${use}\n`,
};

/**
 * @param {string} folder
 * @param {readonly import('./tarball.mjs').Tarball[]} tarballs
 */
export async function install(folder, tarballs) {
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{ "name": "consumer", "private": true, "type": "module" }\n');
  const files = tarballs.map(({ file }) => file);
  await command('npm', ['install', '--no-audit', '--no-fund', ...files], { cwd: folder });
  const imports = tarballs.map(({ name }) => `await import(${JSON.stringify(name)});`).join('\n');
  await command(process.execPath, ['--input-type=module', '--eval', imports], { cwd: folder });
  return `${tarballs.length} packages install with npm and import`;
}

/**
 * Checks the type declarations without @types/node, because projects for browsers do not have it.
 * @param {string} folder
 * @param {readonly string[]} names of packages
 */
export async function checkDeclarations(folder, names) {
  const source = names.map((name, index) => `export * as p${index} from '${name}';\n`).join('');
  writeFileSync(join(folder, 'declarations.ts'), source);
  await tool('tsc', [...CHECKED, '', '--module', 'nodenext', '--noEmit', 'declarations.ts'], { cwd: folder });
  return `${names.length} packages without @types/node`;
}

/**
 * Compiles and runs CommonJS modules that use a tracker.
 * @param {string} folder
 */
export async function checkCommonJs(folder) {
  for (const [module, source] of Object.entries(COMMON_JS)) {
    writeFileSync(join(folder, `${module}.cts`), source);
    await tool('tsc', [...CHECKED, '', '--module', module, `${module}.cts`], { cwd: folder });
    await command(process.execPath, [`${module}.cjs`], { cwd: folder });
  }
  return 'import() with module node16, require() with node20';
}
