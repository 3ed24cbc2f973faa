// Checks what a user downloads: packs a package with plain npm, then checks the content of the tarball.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readManifest } from '../workspace.mjs';
import { command, tool } from './command.mjs';

const needed = [
  /^README\.md$/,
  /^LICENSE$/,
  /^CHANGELOG\.md$/,
  /^src\/index\.ts$/,
  /^dist\/index\.js$/,
  /^dist\/index\.d\.ts$/,
];
/** A package that has the first file also has the second. */
const together = [[/^dist\/pages\/index\.html$/, /^dist\/pages\/third-party-notices\.md$/]];
const unwanted = [/(^|\/)tests?\//, /\.test\./, /\.tsbuildinfo$/, /^binding\.gyp$/, /(^|\/)node_modules\//];
const installScripts = ['preinstall', 'install', 'postinstall', 'prepare'];

/**
 * @typedef {{ name: string, file: string, size: number, contents: string[] }} Tarball
 * @param {string} directory of the package
 * @param {string} destination
 * @returns {Promise<Tarball>}
 */
export async function pack(directory, destination) {
  const before = readFileSync(join(directory, 'package.json'), 'utf8');
  const [packed] = JSON.parse(
    await command('npm', ['pack', '--json', `--pack-destination=${destination}`], { cwd: directory }),
  );
  if (readFileSync(join(directory, 'package.json'), 'utf8') !== before) {
    throw new Error(`packing ${packed.name} left its package.json changed`);
  }
  return {
    name: packed.name,
    file: join(destination, packed.filename),
    size: packed.size,
    contents: packed.files.map((/** @type {{ path: string }} */ { path }) => path),
  };
}

/** @param {Tarball} tarball */
export async function checkTarball({ file, size, contents }) {
  const has = (/** @type {RegExp | undefined} */ pattern) => contents.some((path) => pattern?.test(path));
  const missing = [
    ...needed.filter((pattern) => !has(pattern)),
    ...together.flatMap(([first, second]) => (has(first) && !has(second) ? [second] : [])),
  ];
  const excess = contents.filter((path) => unwanted.some((pattern) => pattern.test(path)));
  if (missing.length > 0 || excess.length > 0) {
    throw new Error(`missing: ${missing.join(' ') || 'none'}\nnot wanted: ${excess.join(' ') || 'none'}`);
  }
  await tool('publint', [file, '--strict']);
  await tool('attw', [file, '--profile', 'esm-only']);
  return `publint, attw and contents; ${Math.ceil(size / 1000)} kB`;
}

/** @param {readonly string[]} directories of packages */
export function checkInstallScripts(directories) {
  for (const { name, scripts = {} } of directories.map(readManifest)) {
    const found = installScripts.filter((script) => script in scripts);
    if (found.length > 0) {
      throw new Error(`${name} runs code when it is installed: ${found.join(', ')}`);
    }
  }
  return 'none';
}
