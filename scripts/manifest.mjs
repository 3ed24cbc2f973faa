// pnpm's own ranges (`workspace:^`, `catalog:`) mean nothing to npm. For as long as a package is packed,
// its package.json holds plain ones; the original waits in its node_modules, which no tarball takes in.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { packageDirectories } from './workspace.mjs';

const fields = ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies'];
const pnpmRange = /^(workspace|catalog):/;

/**
 * @param {string} directory of the package
 * @param {(name: string, range: string) => string} rangeOf the plain range for one of pnpm's
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
  const plain = `${JSON.stringify(manifest, null, 2)}\n`;
  if (plain !== original) {
    mkdirSync(dirname(originalPath(directory)), { recursive: true });
    writeFileSync(originalPath(directory), original);
    writeFileSync(join(directory, 'package.json'), plain);
  }
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
  // A manifest that still holds pnpm's ranges was never rewritten, or was put back by hand: it is the truth.
  if (/"(workspace|catalog):/.test(readFileSync(join(directory, 'package.json'), 'utf8'))) {
    rmSync(original);
  } else {
    renameSync(original, join(directory, 'package.json'));
  }
}

/** Puts back what a pack that was broken off has left behind. */
export function recoverManifests() {
  packageDirectories().forEach(restoreManifest);
}

/** @param {string} directory */
function originalPath(directory) {
  return join(directory, 'node_modules', '.package.json.original');
}
