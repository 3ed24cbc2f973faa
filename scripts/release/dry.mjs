// `npm run release:dry [-- FOLDER]`: makes what a release would publish, checks it, and publishes nothing.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { command } from '../checks/command.mjs';
import { report } from '../checks/report.mjs';
import { root } from '../workspace.mjs';
import { billsOfMaterials } from './bill-of-materials.mjs';
import { packTwice } from './pack-twice.mjs';
import { checkVersions } from './versions.mjs';

const [given = 'packed'] = process.argv.slice(2);
const folder = resolve(given);
mkdirSync(folder, { recursive: true });
const temporary = mkdtempSync(join(tmpdir(), 'sluice-release-'));

const failed = await report({
  versions: checkVersions,
  // Sizes, types, publint, attw, notices, and projects that install the packages.
  'npm run check': () => {
    const rows = command(process.execPath, [join(root, 'scripts', 'check.mjs'), '--skip', 'tests']);
    return `${rows.match(/^ok /gm)?.length} checks`;
  },
  'packed twice': () => packTwice(temporary, folder),
  'bills of materials': () => billsOfMaterials(folder),
});
rmSync(temporary, { recursive: true, force: true });
console.log(
  failed.length > 0
    ? `not to be released: ${failed.join(', ')}`
    : `to be released: ${relative(process.cwd(), folder) || '.'}`,
);
process.exitCode = failed.length > 0 ? 1 : 0;
