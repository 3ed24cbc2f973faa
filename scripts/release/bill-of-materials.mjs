import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { command } from '../checks/command.mjs';
import { packageDirectories, readManifest, root } from '../workspace.mjs';

const SUFFIX = '.cdx.json';
/** They ask for no more than their notice. */
const ALLOWED = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT'];

/**
 * @typedef {{ name: string, version: string, licenses?: { license?: { id?: string, name?: string }, expression?: string }[] }} Component
 */

/**
 * Writes for each package what a user installs with it (CycloneDX), in place of the lists that are there. Throws if one is missing,
 * or a licence asks for more than its notice.
 * @param {string} folder
 */
export async function billsOfMaterials(folder) {
  for (const name of readdirSync(folder)) if (name.endsWith(SUFFIX)) rmSync(join(folder, name));
  await command(process.execPath, [
    join(root, 'scripts', 'pnpm.mjs'),
    ...['--filter', './packages/*', 'sbom', '--sbom-format', 'cyclonedx', '--prod', '--split'],
    ...['--out', join(folder, `%s-%v${SUFFIX}`)],
  ]);
  const files = packageDirectories().map(fileOf);
  const missing = files.filter((name) => !existsSync(join(folder, name)));
  if (missing.length > 0) throw new Error(`not written: ${missing.join(', ')}`);
  const components = files.flatMap(
    (name) =>
      /** @type {Component[]} */ (JSON.parse(readFileSync(join(folder, name), 'utf8')).components ?? []),
  );
  const refused = components.filter((one) => !ALLOWED.includes(licenceOf(one)));
  if (refused.length > 0)
    throw new Error(refused.map((one) => `${one.name} ${one.version}: ${licenceOf(one)}`).join('\n'));
  const used = [...new Set(components.map(licenceOf))].sort();
  return `${files.length} files; ${used.join(', ')}`;
}

/** @param {string} directory of a package */
function fileOf(directory) {
  const { name, version } = readManifest(directory);
  return `${name.replace('@', '').replace('/', '-')}-${version}${SUFFIX}`;
}

/** @param {Component} component */
function licenceOf({ licenses = [] }) {
  return licenses.map(({ license, expression }) => expression ?? license?.id ?? license?.name).join(' and ');
}
