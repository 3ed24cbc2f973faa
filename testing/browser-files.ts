// Provides `inject('files')` for tests of pages: the files that a page without a bundler loads, the stub as it is in
// docs/in-a-page.md, and two entries of core, each as one file.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';
import { bundleBrowserFiles } from '../scripts/browser-files.mjs';
import { bundlePage } from './bundled-page.ts';

const bundled = (path: string) =>
  bundlePage(fileURLToPath(new URL(`../packages/core/src/${path}`, import.meta.url)), 'development');

export default async function setup(project: TestProject): Promise<void> {
  const readme = readFileSync(new URL('../docs/in-a-page.md', import.meta.url), 'utf8');
  const [, stub = ''] = /<script>\n(.*?)<\/script>/s.exec(readme) ?? [];
  const [files, index, testing] = await Promise.all([
    bundleBrowserFiles('src'),
    bundled('index.ts'),
    bundled('entries/testing/testing.ts'),
  ]);
  project.provide('files', { ...files, stub, index, testing });
}
