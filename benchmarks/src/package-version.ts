import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The version of an installed package. */
export function packageVersion(name: string): string {
  const main = fileURLToPath(import.meta.resolve(name));
  for (let directory = dirname(main); directory !== dirname(directory); directory = dirname(directory)) {
    const path = join(directory, 'package.json');
    if (!existsSync(path)) continue;
    const manifest: { name?: string; version?: string } = JSON.parse(readFileSync(path, 'utf8'));
    // A directory of CommonJS files may have a manifest too, but without a name.
    if (manifest.name === name && manifest.version !== undefined) return manifest.version;
  }
  throw new Error(`no manifest of ${name} above ${main}`);
}
