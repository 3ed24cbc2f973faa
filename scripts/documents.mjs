// A tarball has the documents that its README links to. So while a package is packed, its folder holds them, and links fit the
// place where npm installs the package: `node_modules/@sluice/NAME`. The original documents wait in the node_modules of the package.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, posix } from 'node:path';
import { packageDirectories, root } from './workspace.mjs';

/** What only a packed package has. */
const CARRIED = ['CHANGELOG.md', 'SECURITY.md', 'docs'];
const LINK = /\[([^\]]*)\]\((?!https?:|mailto:|#)([^)#\s]+)(#[^)\s]*)?\)/g;

/** @param {string} directory of the package */
export function carryDocuments(directory) {
  returnDocuments(directory);
  const name = basename(directory);
  const own = readdirSync(directory).filter((file) => /^[A-Z-]+\.md$/.test(file));
  mkdirSync(originals(directory), { recursive: true });
  for (const file of own) cpSync(join(directory, file), join(originals(directory), file));
  for (const path of [...own.map((file) => `packages/${name}/${file}`), ...carriedBy(name)]) {
    const place = join(directory, '..', String(placeOf(path, name)));
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(place, packed(readFileSync(join(root, path), 'utf8'), path, name));
  }
}

/** @param {string} directory of the package */
export function hasDocuments(directory) {
  return existsSync(originals(directory));
}

/** @param {string} directory of the package */
export function returnDocuments(directory) {
  if (!hasDocuments(directory)) return;
  for (const file of CARRIED) rmSync(join(directory, file), { recursive: true, force: true });
  cpSync(originals(directory), directory, { recursive: true });
  rmSync(originals(directory), { recursive: true });
}

/** A document with links that fit a package. A link to what no package has becomes its text. @param {string} text @param {string} path @param {string} name of the package */
function packed(text, path, name) {
  const from = posix.dirname(String(placeOf(path, name)));
  return text.replace(LINK, (_link, label, file, anchor = '') => {
    const place = placeOf(posix.join(posix.dirname(path), file), name);
    return place === undefined ? label : `[${label}](${posix.relative(from, place)}${anchor})`;
  });
}

/** Where a file of the workspace is below `node_modules/@sluice`, for a package of this name. @param {string} path @param {string} name */
function placeOf(path, name) {
  if (path === 'CHANGELOG.md') return `${name}/${path}`;
  if (path === 'SECURITY.md' || path.startsWith('docs/')) return `core/${path}`;
  const [, place] = /^packages\/((?:[\w-]+)(?:\/(?!test\/).*)?)$/.exec(path) ?? [];
  return place;
}

/** @param {string} name of the package */
function carriedBy(name) {
  const docs = readdirSync(join(root, 'docs')).map((file) => `docs/${file}`);
  return ['CHANGELOG.md', ...(name === 'core' ? ['SECURITY.md', ...docs] : [])];
}

/** Returns the documents of packages whose packing was interrupted. */
export function recoverDocuments() {
  packageDirectories().forEach(returnDocuments);
}

/** @param {string} directory */
function originals(directory) {
  return join(directory, 'node_modules', '.documents');
}
