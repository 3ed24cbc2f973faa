import { join } from 'node:path';
import { root } from './workspace.mjs';

const folder = join(root, 'packages', 'core', 'src', 'page-engine');
/** What the engine has in the place of other modules. */
const OTHERS = [
  [/[\\/]tracker\.[jt]s$/, 'page-tracker.ts'],
  [/[\\/]service-worker\.[jt]s$/, 'service-worker.ts'],
  [/[\\/]bounds[\\/]bounds\.[jt]s$/, 'parts/bounds.ts'],
  [/[\\/]dead-letters[\\/]dead-letters\.[jt]s$/, 'parts/dead-letters.ts'],
  [/[\\/]learn[\\/]learn\.[jt]s$/, 'parts/learn.ts'],
  [/[\\/]parts[\\/]per-customer\.[jt]s$/, 'parts/per-customer.ts'],
];

/**
 * With SLUICE_ENGINE=page, the package makes trackers with the engine for pages, and service workers send what that stores. For Vite and
 * for rolldown.
 *
 * @returns {{ name: string, enforce: 'pre', resolveId(source: string, importer: string | undefined): string | undefined }[]}
 */
export function pageEngine() {
  if (process.env.SLUICE_ENGINE !== 'page') return [];
  const resolveId = (/** @type {string} */ source, /** @type {string | undefined} */ importer) => {
    if (importer?.includes('page-engine')) return undefined;
    const other = OTHERS.find(([name]) => source.match(name));
    return other && join(folder, `${other[1]}`);
  };
  return [{ name: 'page-engine', enforce: 'pre', resolveId }];
}
