import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root folder of the workspace. */
export const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * @typedef {Record<string, unknown> & { name: string, version: string, scripts?: Record<string, string> }} Manifest
 * @param {string} directory
 * @returns {Manifest}
 */
export function readManifest(directory) {
  return JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
}

/** The folders of the published packages. */
export function packageDirectories() {
  return readdirSync(join(root, 'packages'))
    .map((name) => join(root, 'packages', name))
    .filter((directory) => existsSync(join(directory, 'package.json')));
}
