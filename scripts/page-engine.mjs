import { join } from 'node:path';
import { root } from './workspace.mjs';

const engine = join(root, 'packages', 'core', 'src', 'page-engine');

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
    if (/[\\/]tracker\.[jt]s$/.test(source)) return join(engine, 'page-tracker.ts');
    return /[\\/]service-worker\.[jt]s$/.test(source) ? join(engine, 'service-worker.ts') : undefined;
  };
  return [{ name: 'page-engine', enforce: 'pre', resolveId }];
}
