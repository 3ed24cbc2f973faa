// `npm run reference` writes REFERENCE.md of each package: all that it exports, from the declarations of the build.
import { writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { referencePage } from './reference/page.mjs';
import { packageDirectories, root } from './workspace.mjs';

for (const directory of packageDirectories()) {
  const path = join(directory, 'REFERENCE.md');
  writeFileSync(path, referencePage(directory));
  console.log(relative(root, path));
}
