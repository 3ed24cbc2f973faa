import type { StoredEvent } from '@sluice/emulator';
import type { Browser } from 'playwright';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasChromium, launchChromium, Phone } from './phone.ts';
import { startShop } from './running-shop.ts';

describe('the shop, as a process', () => {
  test('says where its page and the service are, and ends on Ctrl-C', async () => {
    await using shop = await startShop();
    expect(shop.output).toMatch(
      /The shop +http:\/\/127\.0\.0\.1:\d+\n +The service +http:\/\/127\.0\.0\.1:\d+\n/,
    );
    expect(await shop.events(0)).toEqual([]);
    expect(await shop.interrupt()).toBe(0);
    await expect(fetch(shop.url)).rejects.toThrow();
  });
});

describe.skipIf(!hasChromium)('the shop on a phone', () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await launchChromium();
  });

  afterAll(() => browser.close());

  test('delivers each tap once, those made offline and before a reload as well', async () => {
    await using shop = await startShop();
    await using phone = await Phone.open(browser, shop.url);
    const { page } = phone;
    await phone.tap('button', 'Storm lantern');
    await phone.tap('button', 'Add to the cart');
    await phone.tap('button', 'Add Enamel mug to the cart');
    await phone.shows('delivered', 3);

    await phone.tap('switch', 'Offline');
    await page.getByText('You are offline.').waitFor();
    await phone.tap('button', 'Add Deck boots to the cart');
    await phone.tap('button', 'One less: Enamel mug');
    await page.getByRole('searchbox').fill('rope');
    await phone.tap('button', 'Add Mooring rope to the cart');
    await page.getByText('Not reachable').waitFor();
    await phone.shows('memory', 0);
    await phone.shows('disk', 4);

    await page.reload();
    await page.getByRole('switch', { name: 'Offline', checked: true }).waitFor();
    await phone.shows('disk', 4);
    await phone.tap('button', 'Check out');
    await phone.shows('disk', 5);

    await phone.tap('switch', 'Offline');
    await phone.shows('delivered', 5);
    await phone.shows('disk', 0);
    await page.getByText('All delivered').waitFor();

    const events = await shop.events(8);
    expect(new Set(events.map(({ uuid }) => uuid)).size).toBe(8);
    expect(events.map(brief).sort()).toEqual([
      'checkout "total":125',
      'item_removed "quantity":0',
      'item_to_cart "sku":"boots"',
      'item_to_cart "sku":"lantern"',
      'item_to_cart "sku":"mug"',
      'item_to_cart "sku":"rope"',
      'product_viewed "sku":"lantern"',
      'search "query":"rope"',
    ]);
    expect(events.every(({ deliveries, attributed }) => deliveries === 1 && attributed)).toBe(true);
    expect([...phone.hosts]).toEqual(['127.0.0.1']);
    expect(phone.errors).toEqual([]);
  });

  test('left ten times right after a tap: each tap arrives once', async () => {
    await using shop = await startShop();
    await using phone = await Phone.open(browser, shop.url);
    for (let visit = 0; visit < 10; visit += 1) {
      await phone.tap('button', 'Add Steel flask to the cart');
      await phone.page.goto(`${shop.url}/?visit=${visit}`);
    }
    await phone.shows('disk', 0);
    const events = await shop.events(10);
    expect(events.map(({ event: { payload } }) => payload?.quantity)).toHaveLength(10);
    expect(new Set(events.map(({ event: { payload } }) => payload?.quantity)).size).toBe(10);
    expect(events.every(({ deliveries }) => deliveries === 1)).toBe(true);
  });

  test('has no key anywhere in the page, and its requests need no leave of the browser', async () => {
    await using shop = await startShop();
    await using phone = await Phone.open(browser, 'about:blank');
    const preflights = await phone.preflights();
    const seen = phone.resources();
    await phone.page.goto(shop.url);
    await phone.tap('button', 'Add Steel flask to the cart');
    await phone.shows('delivered', 1);
    await phone.tap('switch', 'Offline');
    await phone.tap('button', 'Add Steel flask to the cart');
    await phone.shows('disk', 1);
    const stored = await phone.stored();
    expect(stored).toContain('sluice ticket');
    expect(stored).toContain('flask');
    const all = await seen();
    expect(all.length).toBeGreaterThan(5);
    expect(all.some(({ url }) => url.endsWith('/s'))).toBe(true);
    const searched = [...all, { url: 'what the page stores', text: stored }];
    expect(searched.filter(({ text }) => text.includes(shop.key)).map(({ url }) => url)).toEqual([]);
    expect(preflights).toEqual([]);
  });

  test('goes on by itself when the phone has a network again', async () => {
    await using shop = await startShop();
    await using phone = await Phone.open(browser, shop.url);
    await phone.setOffline(true);
    await phone.page.getByText('You are offline.').waitFor();
    await phone.tap('button', 'Add Steel flask to the cart');
    await phone.tap('button', 'Add Steel flask to the cart');
    await phone.shows('memory', 0);
    await phone.shows('disk', 2);
    await phone.setOffline(false);
    await phone.shows('delivered', 2);
    const events = await shop.events(2);
    expect(events.map(({ deliveries }) => deliveries)).toEqual([1, 1]);
  });

  test('can be used with the keyboard alone', async () => {
    await using shop = await startShop();
    await using phone = await Phone.open(browser, shop.url);
    const { page } = phone;
    await page.getByRole('button', { name: 'Log book', exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Log book' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: 'One less: Log book' }).waitFor();
    await page.getByRole('switch', { name: 'Offline' }).focus();
    await page.keyboard.press('Space');
    await page.getByText('You are offline.').waitFor();
  });
});

/** The name of an event, and the payload field that distinguishes it from others of that name. */
function brief({ event: { event, payload } }: StoredEvent): string {
  const telling = { search: 'query', checkout: 'total', item_removed: 'quantity' }[event] ?? 'sku';
  return `${event} "${telling}":${JSON.stringify(payload?.[telling])}`;
}
