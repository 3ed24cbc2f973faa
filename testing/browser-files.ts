// Provides `inject('files')` for tests of a page without a bundler: the files that the page loads, and the stub as it is in
// docs/in-a-page.md.
import { readFileSync } from 'node:fs';
import type { TestProject } from 'vitest/node';
import { bundleBrowserFiles } from '../scripts/browser-files.mjs';

export default async function setup(project: TestProject): Promise<void> {
  const readme = readFileSync(new URL('../docs/in-a-page.md', import.meta.url), 'utf8');
  const [, stub = ''] = /<script>\n(.*?)<\/script>/s.exec(readme) ?? [];
  project.provide('files', { ...(await bundleBrowserFiles('src')), stub });
}
