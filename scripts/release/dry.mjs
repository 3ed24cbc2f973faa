// `npm run release:dry [-- FOLDER]`: makes what a release would publish, checks it, and publishes nothing. `--skip NAME` skips a
// step, such as `check`.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { command } from '../checks/command.mjs';
import { report } from '../checks/report.mjs';
import { root } from '../workspace.mjs';
import { billsOfMaterials } from './bill-of-materials.mjs';
import { checkCommitted } from './committed.mjs';
import { packTwice } from './pack-twice.mjs';
import { checkVersions } from './versions.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { skip: { type: 'string', multiple: true, default: [] } },
});
const [given = 'packed'] = positionals;
const folder = resolve(given);
mkdirSync(folder, { recursive: true });
const temporary = mkdtempSync(join(tmpdir(), 'sluice-release-'));

/** @type {import('../checks/report.mjs').Checks} */
const steps = {
  versions: checkVersions,
  // Sizes, types, publint, attw, notices, and projects that install the packages.
  check: async () => {
    const rows = await command(process.execPath, [join(root, 'scripts', 'check.mjs'), '--skip', 'tests']);
    return `${rows.match(/^ok /gm)?.length} checks\n${rows.trimEnd()}`;
  },
  'packed twice': () => packTwice(temporary, folder),
  'bills of materials': () => billsOfMaterials(folder),
};
for (const name of values.skip) delete steps[name];
const uncommitted = await report({ committed: checkCommitted });
const failed = uncommitted.length > 0 ? uncommitted : await report(steps);
rmSync(temporary, { recursive: true, force: true });
console.log(
  failed.length > 0
    ? `not to be released: ${failed.join(', ')}`
    : `to be released: ${relative(process.cwd(), folder) || '.'}`,
);
process.exitCode = failed.length > 0 ? 1 : 0;
