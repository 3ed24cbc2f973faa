// What axe finds in a page, in each size and theme that the page must support.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type axe from 'axe-core';
import type { Page } from 'playwright';
import { DESKTOP, PHONE, settled } from './open-page.ts';

// As text: loading it as a module here would take longer than running it in the page.
const SOURCE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** A theme changes only colours. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

/** The problems that axe finds in the current page, except minor ones, each with the elements at fault. */
export async function seriousFaults(page: Page): Promise<string[]> {
  // Not as a script element: the content security policy of the page forbids that.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(SOURCE);
  const faults: string[] = [];
  for (const [size, viewport] of Object.entries({ desktop: DESKTOP, phone: PHONE })) {
    await page.setViewportSize(viewport);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.evaluate(settled);
      const found = await run(page, colorScheme === 'light' ? undefined : COLOUR_RULES);
      faults.push(...found.map((fault) => `${size}, ${colorScheme}: ${fault}`));
    }
  }
  await page.setViewportSize(DESKTOP);
  await page.emulateMedia({ colorScheme: 'light' });
  return faults;
}

/** Runs axe with some of its rules, or with all. */
async function run(page: Page, runOnly: string[] | undefined): Promise<string[]> {
  const { violations } = await page.evaluate(
    (options) => (globalThis as unknown as { axe: typeof axe }).axe.run(options),
    { resultTypes: ['violations' as const], ...(runOnly && { runOnly }) },
  );
  return violations
    .filter(({ impact }) => impact !== 'minor')
    .map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html).join(' ')}`);
}
