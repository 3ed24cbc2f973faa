import { cpSync, mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Mutant, mutate } from './mutants.ts';

const CORE = realpathSync(fileURLToPath(new URL('../../../../node_modules/@sluice/core', import.meta.url)));

/** Copies what runs of the built package to another directory. If a mutant is given, the copy has its mistake. */
export function copyCore(directory: string, mutant?: Mutant): void {
  mkdirSync(directory, { recursive: true });
  const filter = (path: string) => !/\.(map|d\.ts)$/.test(path);
  for (const name of ['package.json', 'dist'])
    cpSync(join(CORE, name), join(directory, name), { recursive: true, filter });
  symlinkSync(join(CORE, 'node_modules'), join(directory, 'node_modules'));
  if (mutant === undefined) return;
  const path = join(directory, 'dist', `${mutant.file}.js`);
  writeFileSync(path, mutate(readFileSync(path, 'utf8'), mutant));
}
