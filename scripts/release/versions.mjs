import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageDirectories, readManifest, root } from '../workspace.mjs';

/** All packages share one version, and `.changeset/config.json` keeps it so. */
export function checkVersions() {
  const manifests = packageDirectories().map(readManifest);
  const versions = new Set(manifests.map(({ version }) => version));
  if (versions.size !== 1) throw new Error(`the packages have several versions: ${[...versions].join(', ')}`);
  const { fixed } = JSON.parse(readFileSync(join(root, '.changeset', 'config.json'), 'utf8'));
  const names = manifests.map(({ name }) => name).sort();
  if (JSON.stringify(fixed) !== JSON.stringify([names]))
    throw new Error(`"fixed" in .changeset/config.json must be ${JSON.stringify([names])}`);
  return `${names.length} packages, ${[...versions].join()}`;
}
