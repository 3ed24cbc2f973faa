import { join } from 'node:path';
import { root } from './workspace.mjs';

const engine = join(root, 'packages', 'core', 'src', 'page-engine', 'page-tracker.ts');

/**
 * With SLUICE_ENGINE=page, the package makes trackers with the engine for pages. For Vite and for rolldown.
 *
 * @returns {{ name: string, enforce: 'pre', resolveId(source: string, importer: string | undefined): string | undefined }[]}
 */
export function pageEngine() {
  if (process.env.SLUICE_ENGINE !== 'page') return [];
  const resolveId = (/** @type {string} */ source, /** @type {string | undefined} */ importer) =>
    /[\\/]tracker\.[jt]s$/.test(source) && !importer?.includes('page-engine') ? engine : undefined;
  return [{ name: 'page-engine', enforce: 'pre', resolveId }];
}
