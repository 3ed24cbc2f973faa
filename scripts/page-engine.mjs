import { join } from 'node:path';
import { root } from './workspace.mjs';

/** What the engine has in the place of other modules. */
const OTHERS = [
  [/[\\/]tracker\.[jt]s$/, 'page-tracker'],
  [/[\\/]service-worker(\.[jt]s)?$/, 'service-worker'],
  [/[\\/]bounds[\\/]bounds\.[jt]s$/, 'parts/bounds'],
  [/[\\/]dead-letters[\\/]dead-letters\.[jt]s$/, 'parts/dead-letters'],
  [/[\\/]learn[\\/]learn\.[jt]s$/, 'parts/learn'],
  [/[\\/]parts[\\/]per-customer\.[jt]s$/, 'parts/per-customer'],
];

/**
 * With SLUICE_ENGINE=page, the package makes trackers with the engine for pages, and service workers send what that stores. For Vite and
 * for rolldown.
 *
 * @param {'src' | 'dist'} folder of packages/core
 * @returns {{ name: string, enforce: 'pre', resolveId(source: string, importer: string | undefined): string | undefined }[]}
 */
export function pageEngine(folder = 'src') {
  if (process.env.SLUICE_ENGINE !== 'page') return [];
  const engine = join(root, 'packages', 'core', folder, 'page-engine');
  const extension = folder === 'src' ? 'ts' : 'js';
  const resolveId = (/** @type {string} */ source, /** @type {string | undefined} */ importer) => {
    if (importer?.includes('page-engine')) return undefined;
    const other = OTHERS.find(([name]) => source.match(name));
    return other && join(engine, `${other[1]}.${extension}`);
  };
  return [{ name: 'page-engine', enforce: 'pre', resolveId }];
}
