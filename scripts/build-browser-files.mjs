// The second step of the build of packages/core: bundles the files for pages without a bundler.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundleBrowserFiles } from './browser-files.mjs';
import { root } from './workspace.mjs';

const dist = join(root, 'packages', 'core', 'dist');
const { module, script } = await bundleBrowserFiles('dist');
writeFileSync(join(dist, 'sluice.js'), module);
writeFileSync(join(dist, 'sluice.global.js'), script);
