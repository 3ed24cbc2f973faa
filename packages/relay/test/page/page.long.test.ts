import { fileURLToPath } from 'node:url';
import type { Emulator } from '@sluice/emulator';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { findChromium } from '../../../../scripts/chromium.mjs';
import { bundlePage } from '../../../../testing/bundled-page.ts';
import { PATIENCE } from '../../../../testing/patience.ts';
import { createRelay, type RelayOptions, toNodeHandler } from '../../src/index.ts';
import { ADA, directory, EVE, listen, optionsOf, service } from '../bench/site.ts';

const executablePath = findChromium();
const ARGS = ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'];
const DAY_MS = 24 * 60 * 60_000;

/** A request that reached the site, other than those for its pages. */
interface Seen {
  readonly method: string | undefined;
  readonly cookie: string | undefined;
  readonly body: {
    readonly batch?: readonly object[];
    readonly ticket?: string;
    readonly parcel?: string;
  };
  readonly status: number;
}

let browser: Browser;
let script: string;
let worker: string;
beforeAll(async () => {
  if (!executablePath) return;
  browser = await chromium.launch({ executablePath, args: ARGS, ...PATIENCE });
  script = await bundlePage(fileURLToPath(new URL('site/page.ts', import.meta.url)));
  worker = await bundlePage(fileURLToPath(new URL('site/worker.ts', import.meta.url)));
});
afterAll(() => browser?.close());

/** A site whose pages send to a relay on its own origin. */
interface Site {
  readonly emulator: Emulator;
  readonly origin: string;
  readonly context: BrowserContext;
  readonly seen: Seen[];
  readonly state: { aheadMs: number; losesAnswers: boolean };
  /** Signs somebody in, and opens a page. */
  open(customer: string | undefined, path?: string): Promise<Page>;
}

async function openSite(options: Partial<RelayOptions> = {}): Promise<Site> {
  const emulator = await service();
  /** By how much the relay's clock is ahead, and whether answers to requests that name a parcel get lost. */
  const state = { aheadMs: 0, losesAnswers: false };
  const clock = {
    now: () => Date.now() + state.aheadMs,
    setTimeout: (callback: () => void, ms: number) => {
      const timer = setTimeout(callback, ms);
      return { cancel: () => clearTimeout(timer) };
    },
  };
  const relay = createRelay({ ...optionsOf(emulator), directory: await directory(), clock, ...options });
  onTestFinished(() => relay.close({ timeoutMs: 0 }));
  const handle = toNodeHandler(relay);
  const seen: Seen[] = [];
  const origin = await listen(async (request, response) => {
    const { method, url = '', headers } = request;
    const { cookie } = headers;
    if (method === 'GET') {
      const [, customer = ''] = /session=([^;]+)/.exec(cookie ?? '') ?? [];
      const page = `<!doctype html><html data-customer="${customer}"><title>a page</title><script type="module" src="/page.js"></script></html>`;
      const files: Readonly<Record<string, string>> = {
        '/page.js': script,
        '/worker.js': worker,
        '/empty': '<!doctype html><title>a page without a tracker</title>',
      };
      response.setHeader('content-type', url.endsWith('.js') ? 'text/javascript' : 'text/html');
      response.end(files[url] ?? page);
      return;
    }
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    const body = () => JSON.parse(Buffer.concat(chunks).toString() || '{}');
    const { end } = response;
    response.end = (...args: unknown[]) => {
      seen.push({ method, cookie, body: body(), status: response.statusCode });
      // A browser repeats a request by itself if its connection breaks: so this one hangs.
      if (!(state.losesAnswers && body().parcel)) Reflect.apply(end, response, args);
      return response;
    };
    handle(request, response);
  });
  const context = await browser.newContext();
  onTestFinished(() => context.close());
  context.setDefaultTimeout(PATIENCE.timeout);
  return {
    ...{ emulator, origin, context, seen, state },
    async open(customer, path = '/') {
      if (customer === undefined) await context.clearCookies();
      else await context.addCookies([{ name: 'session', value: customer, url: origin, sameSite: 'Strict' }]);
      const page = await context.newPage();
      await page.goto(origin + path);
      return page;
    },
  };
}

/** What the service has, once it has so many events: customer, name and path of each. */
async function arrived({ emulator }: Site, count: number): Promise<string[]> {
  await emulator.waitForEvents(count, { timeoutMs: PATIENCE.timeout });
  const events = await emulator.events();
  expect(events.map(({ deliveries }) => deliveries)).toEqual(events.map(() => 1));
  return events.map(({ event: { correlationValue, event, payload } }) =>
    [correlationValue, event, payload?.path ?? payload?.sku].join(' '),
  );
}

/** @param customer Left out for whoever the page said is signed in. */
const buy = (page: Page, sku: string, customer?: string) =>
  page.evaluate(([sku, customer]) => tracker.track('purchase', { sku }, { correlationValue: customer }), [
    sku,
    customer,
  ] as const);
/** Has the service worker drain the journal. Returns what it says. */
const drain = (page: Page) =>
  page.evaluate(async () => {
    await navigator.serviceWorker.register('/worker.js');
    const { active } = await navigator.serviceWorker.ready;
    const { port1, port2 } = new MessageChannel();
    const answered = new Promise<string>((resolve) => {
      port1.onmessage = ({ data }) => resolve(data);
    });
    active?.postMessage('drain', [port2]);
    return answered;
  });
const pending = (page: Page) => page.evaluate(() => tracker.stats().pending);

describe.skipIf(!executablePath)('a page with a relay on its own origin', () => {
  it('gets a ticket with its cookie, and sends events without any; nothing is asked before', async () => {
    const site = await openSite();
    const page = await site.open(ADA);
    await buy(page, 'A-1');
    await expect.poll(() => pending(page)).toBe(0);
    expect(await arrived(site, 2)).toEqual([`${ADA} page_view /`, `${ADA} purchase A-1`]);
    const [ticket, ...events] = site.seen;
    expect(ticket).toEqual({ method: 'POST', cookie: `session=${ADA}`, body: {}, status: 200 });
    for (const { method, cookie, status } of events)
      expect({ method, cookie, status }).toEqual({ method: 'POST', cookie: undefined, status: 202 });
  });

  it('is gone: the service worker sends what is left, if its customer is signed in, and leaves the rest to a page', async () => {
    const site = await openSite();
    const page = await site.open(ADA);
    await expect.poll(() => pending(page)).toBe(0);
    await site.context.setOffline(true);
    await buy(page, 'A-1');
    await page.evaluate(() => tracker.durable());
    await page.close();
    await site.context.setOffline(false);
    const other = await site.open(EVE, '/empty');
    await expect.poll(() => drain(other), PATIENCE).toBe('done');
    expect((await arrived(site, 1)).length).toBe(1);
    const again = await site.open(ADA, '/empty');
    await expect.poll(() => drain(again), PATIENCE).toBe('done');
    expect(await arrived(site, 2)).toEqual([`${ADA} page_view /`, `${ADA} purchase A-1`]);
  });

  it('two tabs with two accounts: each event is its own customer’s, whichever tab sends it', async () => {
    const site = await openSite();
    const ada = await site.open(ADA, '/of-ada');
    await expect.poll(() => pending(ada)).toBe(0);
    const eve = await site.open(EVE, '/of-eve');
    for (let round = 0; round < 5; round += 1) {
      await buy(ada, 'of Ada', ADA);
      await buy(eve, 'of Eve', EVE);
    }
    const all = await arrived(site, 12);
    expect(all.filter((text) => /of.ada/i.test(text.slice(ADA.length)))).toHaveLength(6);
    for (const text of all) expect(text).toMatch(new RegExp(`^(${ADA} .*of.ada|${EVE} .*of.eve)$`, 'i'));
  });

  it('gets a new ticket once the relay takes the old one no more', async () => {
    const site = await openSite();
    const page = await site.open(ADA);
    await expect.poll(() => pending(page)).toBe(0);
    site.state.aheadMs = 8 * DAY_MS;
    await buy(page, 'A-1');
    expect(await arrived(site, 2)).toContain(`${ADA} purchase A-1`);
    await expect.poll(() => site.seen.map(({ status }) => status)).toEqual([200, 202, 401, 200, 202]);
  });

  it('keeps what is tracked offline, and what nobody is signed in for', async () => {
    const site = await openSite();
    const page = await site.open(ADA);
    await expect.poll(() => pending(page)).toBe(0);
    await site.context.setOffline(true);
    await buy(page, 'A-1');
    await buy(page, 'A-2');
    expect(await pending(page)).toBe(2);
    await site.context.setOffline(false);
    expect(await arrived(site, 3)).toContain(`${ADA} purchase A-2`);
    const anonymous = await site.open(undefined, '/anonymous');
    await anonymous.evaluate(() => tracker.durable());
    const later = await site.open(ADA, '/later');
    await expect.poll(() => pending(later)).toBe(0);
    expect(await arrived(site, 5)).toContain(`${ADA} page_view /anonymous`);
  });

  it('a visit of ten pages, each left at once after a click: each event arrives once', async () => {
    const site = await openSite();
    const page = await site.open(ADA, '/0');
    for (let number = 1; number < 10; number += 1) {
      await buy(page, `on page ${number - 1}`);
      await page.goto(`${site.origin}/${number}`);
    }
    await expect.poll(() => pending(page)).toBe(0);
    expect(new Set(await arrived(site, 19)).size).toBe(19);
  });

  it('what is sent as a page goes is sent again by the next page, with the same id, and arrives once', async () => {
    const site = await openSite();
    const page = await site.open(ADA, '/?maxWaitMs=3600000');
    await expect.poll(() => page.evaluate(() => tracker.flush())).toMatchObject({ pending: 0 });
    site.state.losesAnswers = true;
    await buy(page, 'A-1');
    await page.goto('about:blank');
    await expect.poll(() => site.seen.at(-1)?.body.parcel).toBeDefined();
    site.state.losesAnswers = false;
    const next = await site.open(ADA, '/next');
    // The lease of the page that is gone.
    await expect.poll(() => pending(next), { timeout: PATIENCE.timeout }).toBe(0);
    const sent = () => site.seen.filter(({ body }) => body.parcel);
    await expect.poll(() => sent().length, { timeout: PATIENCE.timeout }).toBe(2);
    expect(sent()[1]?.body).toEqual(sent()[0]?.body);
    expect(await arrived(site, 3)).toHaveLength(3);
  });
});
