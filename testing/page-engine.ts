import { fileURLToPath } from 'node:url';

/** Both for Vite and for rolldown. */
interface Plugin {
  readonly name: string;
  readonly enforce: 'pre';
  resolveId(source: string, importer: string | undefined): string | undefined;
}

const engine = fileURLToPath(new URL('../packages/core/src/page-engine/page-tracker.ts', import.meta.url));

/** With SLUICE_ENGINE=page, the package makes trackers with the engine for pages. */
export function pageEngine(): Plugin[] {
  if (process.env.SLUICE_ENGINE !== 'page') return [];
  const resolveId = (source: string, importer: string | undefined) =>
    /[\\/]tracker\.[jt]s$/.test(source) && !importer?.includes('page-engine') ? engine : undefined;
  return [{ name: 'page-engine', enforce: 'pre', resolveId }];
}
