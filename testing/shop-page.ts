import { chromium } from 'playwright';
import { expect } from 'vitest';
import { findChromium } from '../scripts/chromium.mjs';
import type { Example } from './example.ts';
import { PATIENCE } from './patience.ts';

const executablePath = findChromium();

export const hasChromium: boolean = executablePath !== undefined;

/** Tries a page of `examples/`: a visitor buys in the shop, goes to the cart, buys there in a widget, and comes back later. */
export async function expectVisitOf({ emulator }: Example, url: string): Promise<void> {
  const arrival = (count: number) => emulator.waitForEvents(count, { timeoutMs: PATIENCE.timeout });
  const browser = await chromium.launch({
    ...(executablePath && { executablePath }),
    args: ['--no-sandbox'],
    ...PATIENCE,
  });
  try {
    const page = await browser.newPage();
    page.setDefaultTimeout(PATIENCE.timeout);
    const errors: string[] = [];
    page.on('pageerror', ({ message }) => errors.push(message));
    page.on('console', (line) => void (line.type() === 'error' && errors.push(line.text())));
    await page.goto(url);
    await page.getByText('Buy A-1').click();
    await page.getByText('Go to the cart').click();
    await page.waitForURL('**/cart');
    await page.getByText('Buy B-2').click();
    await arrival(4);
    // What the first visit left arrives with the second one.
    await page.goto('about:blank');
    await page.goto(url);
    const events = (await arrival(5)).map(({ event }) => event);
    expect(
      events
        .map(({ event, source, payload }) => `${event} ${source} ${payload?.path ?? payload?.sku}`)
        .sort(),
    ).toEqual([
      'page_view custom /',
      'page_view custom /',
      'page_view custom /cart',
      'purchase custom A-1',
      'purchase widget B-2',
    ]);
    expect(new Set(events.map(({ correlationValue }) => correlationValue))).toEqual(
      new Set(['ada@example.com']),
    );
    expect(errors).toEqual([]);
  } finally {
    await browser.close();
  }
}
