import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { packageDirectories, readManifest, root } from './workspace.mjs';

/**
 * Returns a function that gives the plain range for a range of pnpm. `catalog:` is resolved from pnpm-workspace.yaml,
 * `workspace:` from the version of the sibling package.
 * @returns {(name: string, range: string) => string}
 */
export function plainRanges() {
  const { catalog } = parse(readFileSync(join(root, 'pnpm-workspace.yaml'), 'utf8'));
  const versions = new Map(
    packageDirectories()
      .map(readManifest)
      .map(({ name, version }) => [name, version]),
  );
  return (name, range) => {
    const plain = range === 'catalog:' ? catalog[name] : workspaceRange(range, versions.get(name));
    if (!plain) {
      throw new Error(`${name}: "${range}" is neither in the catalog nor a package of this workspace`);
    }
    return plain;
  };
}

/**
 * @param {string} range such as `workspace:^`
 * @param {string | undefined} version
 */
function workspaceRange(range, version) {
  const sign = range.slice('workspace:'.length);
  return version && (sign === '^' || sign === '~' || sign === '*')
    ? sign.replace('*', '') + version
    : undefined;
}
