// Shared by the tests of pages: an emulator, and a Chromium that shows its pages.
import { type Browser, chromium, type Page } from 'playwright';
import { onTestFinished } from 'vitest';
import { findChromium } from '../../../../scripts/chromium.mjs';
import { PATIENCE } from '../../../../testing/patience.ts';
import type { Emulator } from '../../src/index.ts';

const executablePath: string | undefined = findChromium();

/** Whether these tests can run. */
export const hasChromium: boolean = executablePath !== undefined;

interface Size {
  readonly width: number;
  readonly height: number;
}

export const DESKTOP: Size = { width: 1400, height: 860 };
export const PHONE: Size = { width: 390, height: 844 };

let browser: Promise<Browser> | undefined;
/** Tabs that no test uses now. Creating a tab takes as long as everything else in many a test. */
const tabs: Page[] = [];

/**
 * Opens a page of an emulator; `hash` is the hash of its address. When the test ends, the tab leaves the page, and the test fails
 * if the page had an error. Nothing of the page remains: the next one has another emulator, and so another origin.
 */
export async function openPage(emulator: Emulator, hash: string, viewport: Size = DESKTOP): Promise<Page> {
  const page = tabs.pop() ?? (await newTab());
  await page.setViewportSize(viewport);
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  await page.mouse.move(0, 0);
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(String(error.stack)));
  page.on('console', (message) => {
    // The browser's own message for a refusal, or for a missing answer.
    const isNetwork = message.text().startsWith('Failed to load resource');
    if (message.type() === 'error' && !isNetwork) problems.push(message.text());
  });
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== emulator.apiUrl) problems.push(`asked for ${request.url()}`);
  });
  onTestFinished(async () => {
    for (const name of ['pageerror', 'console', 'request'] as const) page.removeAllListeners(name);
    await page.goto('about:blank');
    tabs.push(page);
    if (problems.length > 0) throw new Error(`The page has failed:\n${problems.join('\n')}`);
  });
  await page.goto(`${emulator.pagesUrl}${hash}`);
  return page;
}

async function newTab(): Promise<Page> {
  const args = ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'];
  browser ??= chromium.launch({ ...(executablePath && { executablePath }), args, ...PATIENCE });
  const page = await (await browser).newPage();
  page.setDefaultTimeout(PATIENCE.timeout);
  return page;
}

/** Waits for two frames and a task. By then, the page has reacted to what was done to it. Runs in the page. */
export function settled(): Promise<void> {
  return new Promise((resolve) => {
    requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve)));
  });
}

/** Ends the browser. */
export async function closeBrowser(): Promise<void> {
  await (await browser)?.close();
  browser = undefined;
  tabs.length = 0;
}
