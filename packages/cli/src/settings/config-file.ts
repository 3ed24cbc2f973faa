import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { TrackerOptions } from '@sluice/core';
import { UsageError } from '../exit-codes.ts';

/**
 * What `sluice.config.mjs` exports by default, or what `sluice.config.json` contains: options of `createTracker`. Flags and
 * environment variables win over it.
 *
 * @example
 * export default { baseUrl: 'https://events.example.com', correlationKey: 'email' } satisfies SluiceConfig;
 */
export type SluiceConfig = Partial<TrackerOptions>;

const NAMES = ['sluice.config.mjs', 'sluice.config.js', 'sluice.config.ts', 'sluice.config.json'];

/** Reads the file that was named, or the one in the working directory. Throws a UsageError if it cannot be used. */
export async function readConfigFile(named: string | undefined): Promise<SluiceConfig> {
  const path = named ?? NAMES.find((name) => existsSync(name));
  if (path === undefined) return {};
  if (!existsSync(path)) throw new UsageError(`there is no file ${path}: correct --config`);
  if (!statSync(path).isFile()) throw new UsageError(`${path} is no file: correct --config`);
  const config = path.endsWith('.json') ? readJson(path) : await importConfig(path);
  if (typeof config === 'object' && config !== null && !Array.isArray(config)) return config;
  throw new UsageError(
    `${path} must export an object by default: export default { baseUrl, correlationKey }`,
  );
}

/** The errors of JSON show what is in the file, which may be the key. */
function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    throw new UsageError(`${path} cannot be read as JSON: correct it, or name another file with --config`);
  }
}

async function importConfig(path: string): Promise<unknown> {
  try {
    return (await import(pathToFileURL(resolve(path)).href)).default;
  } catch (error) {
    const isUnknown =
      error instanceof Error && 'code' in error && error.code === 'ERR_UNKNOWN_FILE_EXTENSION';
    const reason = isUnknown
      ? path.endsWith('.ts')
        ? `Node ${process.versions.node} runs no TypeScript: name it ${basename(path, '.ts')}.mjs`
        : 'its name must end with .mjs, .js, .ts or .json'
      : `${error instanceof Error ? error.name : 'an error'} in it: try node ${path}`;
    throw new UsageError(`cannot load ${path}: ${reason}`, { cause: error });
  }
}
