// npm does not know pnpm's own ranges (`workspace:^`, `catalog:`). So while a package is packed, its package.json holds plain
// ranges. The original file waits in the node_modules of the package, which is never part of a tarball.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { packageDirectories } from './workspace.mjs';

const fields = ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies'];
const pnpmRange = /^(workspace|catalog):/;

/**
 * @param {string} directory of the package
 * @param {(name: string, range: string) => string} rangeOf returns the plain range for a range of pnpm
 */
export function resolveManifest(directory, rangeOf) {
  restoreManifest(directory);
  const original = readFileSync(join(directory, 'package.json'), 'utf8');
  const manifest = JSON.parse(original);
  for (const field of fields) {
    for (const [name, range] of Object.entries(manifest[field] ?? {})) {
      manifest[field][name] = pnpmRange.test(range) ? rangeOf(name, range) : range;
    }
  }
  mkdirSync(dirname(originalPath(directory)), { recursive: true });
  writeFileSync(originalPath(directory), original);
  // Renamed, not written in place: another package that is packed at the same time reads it.
  const plain = `${originalPath(directory)}.plain`;
  writeFileSync(plain, `${JSON.stringify(manifest, null, 2)}\n`);
  renameSync(plain, join(directory, 'package.json'));
}

/** @param {string} directory of the package */
export function isResolved(directory) {
  return existsSync(originalPath(directory));
}

/** @param {string} directory of the package */
export function restoreManifest(directory) {
  if (!isResolved(directory)) {
    return;
  }
  const original = originalPath(directory);
  // A manifest with pnpm's ranges was never rewritten, or somebody restored it by hand. It is right: delete the copy.
  if (/"(workspace|catalog):/.test(readFileSync(join(directory, 'package.json'), 'utf8'))) {
    rmSync(original);
  } else {
    renameSync(original, join(directory, 'package.json'));
  }
}

/** Restores the manifests that an interrupted pack left rewritten. */
export function recoverManifests() {
  packageDirectories().forEach(restoreManifest);
}

/** @param {string} directory */
function originalPath(directory) {
  return join(directory, 'node_modules', '.package.json.original');
}
