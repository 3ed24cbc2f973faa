// What the tests of pages share: an emulator, and a Chromium that has its pages open.
import axe from 'axe-core';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright';
import { onTestFinished } from 'vitest';
import { findChromium } from '../../../../scripts/chromium.mjs';
import type { Emulator } from '../../src/index.ts';

const executablePath: string | undefined = findChromium();

/** Whether these tests can run. */
export const hasChromium: boolean = executablePath !== undefined;

/** The sizes and themes in which a page is to hold. */
export const SCREENS: readonly (readonly [string, BrowserContextOptions])[] = [
  ['light', { colorScheme: 'light' }],
  ['dark', { colorScheme: 'dark' }],
  ['light on a phone', { colorScheme: 'light', viewport: { width: 390, height: 844 } }],
  ['dark on a phone', { colorScheme: 'dark', viewport: { width: 390, height: 844 } }],
];

let browser: Promise<Browser> | undefined;

/** Opens a page of an emulator, `hash` as in its address. It is closed when the test ends, which fails if the page did. */
export async function openPage(
  emulator: Emulator,
  hash: string,
  options: BrowserContextOptions = {},
): Promise<Page> {
  const args = ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'];
  browser ??= chromium.launch({ ...(executablePath && { executablePath }), args });
  const context = await (await browser).newContext({ viewport: { width: 1400, height: 860 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(10_000);
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(String(error.stack)));
  page.on('console', (message) => {
    // The browser's own words for an answer that refuses, or that does not come.
    const isNetwork = message.text().startsWith('Failed to load resource');
    if (message.type() === 'error' && !isNetwork) problems.push(message.text());
  });
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== emulator.apiUrl) problems.push(`asked for ${request.url()}`);
  });
  onTestFinished(async () => {
    await context.close();
    if (problems.length > 0) throw new Error(`The page has failed:\n${problems.join('\n')}`);
  });
  await page.goto(`${emulator.pagesUrl}${hash}`);
  return page;
}

/** Ends the browser. */
export async function closeBrowser(): Promise<void> {
  await (await browser)?.close();
  browser = undefined;
}

/** What axe finds in a page, other than trifles, each with the elements at fault. */
export async function seriousFaults(page: Page): Promise<string[]> {
  await page.evaluate(axe.source); // not as an element: the policy of the page allows none
  const { violations } = await page.evaluate(() => (globalThis as unknown as { axe: typeof axe }).axe.run());
  return violations
    .filter(({ impact }) => impact !== 'minor')
    .map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html).join(' ')}`);
}
