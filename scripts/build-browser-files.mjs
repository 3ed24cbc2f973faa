// The second step of the build of packages/core: bundles the files for pages without a bundler.
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundleBrowserFiles } from './browser-files.mjs';
import { root } from './workspace.mjs';

const dist = join(root, 'packages', 'core', 'dist');
const { module, script, notices } = await bundleBrowserFiles('dist');
const files = { 'sluice.js': module, 'sluice.global.js': script };
for (const [name, code] of Object.entries(files)) writeFileSync(join(dist, name), code);
writeFileSync(join(dist, 'sluice.LEGAL.txt'), `${notices}\n`);
// For `<script integrity>`: https://www.w3.org/TR/SRI/
const hashes = Object.entries(files).map(([name, code]) => [
  name,
  `sha384-${createHash('sha384').update(code).digest('base64')}`,
]);
writeFileSync(join(dist, 'integrity.json'), `${JSON.stringify(Object.fromEntries(hashes), null, 2)}\n`);
