import { type Browser, chromium, type Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { findChromium } from '../../../../scripts/chromium.mjs';
import { PATIENCE } from '../../../../testing/patience.ts';
import { createRelay, toNodeHandler } from '../../src/index.ts';
import { ADA, directory, listen, optionsOf, pageEvent, service } from '../bench/site.ts';

const executablePath = findChromium();
const ARGS = ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'];
/** Names under `localhost` are secure: there, Chromium says `Sec-Fetch-Site`. Under `test` it says nothing. */
const RULES = '--host-resolver-rules=MAP *.test 127.0.0.1, MAP *.localhost 127.0.0.1';

/** A request that reached the relay, and its answer. */
interface Seen {
  readonly origin: string | undefined;
  readonly cookie: string | undefined;
  readonly site: string | undefined;
  readonly method: string | undefined;
  readonly status: number;
}

let browser: Browser | undefined;
beforeAll(async () => {
  if (executablePath)
    browser = await chromium.launch({ executablePath, args: [...ARGS, RULES], ...PATIENCE });
});
afterAll(() => browser?.close());

/** A shop with a relay, where Ada is signed in, and other hosts on the same server. */
async function visit(top: string) {
  const emulator = await service();
  const relay = createRelay({ ...optionsOf(emulator), directory: await directory() });
  onTestFinished(() => relay.close({ timeoutMs: 0 }));
  const handle = toNodeHandler(relay);
  const seen: Seen[] = [];
  const { port } = new URL(
    await listen((request, response) => {
      if (request.method === 'GET') {
        const isShop = request.headers.host?.startsWith('www.shop.');
        if (isShop) response.setHeader('set-cookie', `session=${ADA}; SameSite=Strict; HttpOnly; Path=/`);
        response.setHeader('content-type', 'text/html').end('<!doctype html><title>a page</title>');
        return;
      }
      response.on('finish', () => {
        const { origin, cookie } = request.headers;
        const site = request.headersDistinct['sec-fetch-site']?.[0];
        seen.push({ method: request.method, origin, cookie, site, status: response.statusCode });
      });
      handle(request, response);
    }),
  );
  const context = await browser?.newContext();
  if (context === undefined) throw new Error('no browser');
  onTestFinished(() => context.close());
  context.setDefaultTimeout(PATIENCE.timeout);
  const page = await context.newPage();
  const at = (name: string) => `http://${name}.${top}:${port}`;
  await page.goto(at('www.shop'));
  return { at, emulator, page, relay, seen };
}

/** Sends as a script of the page may. Resolves to the status; to the error if the browser shows none. */
function send(page: Page, url: string, init: RequestInit): Promise<unknown> {
  return page.evaluate(
    async ([url, init]) => {
      try {
        const answer = await fetch(url, init);
        return { status: answer.status, body: answer.status > 0 ? await answer.json() : {} };
      } catch (error) {
        return String(error);
      }
    },
    [url, { method: 'POST', body: '{}', ...init }] as const,
  );
}

const JSON_TYPE = { 'content-type': 'application/json' };

describe.skipIf(!executablePath).each(['localhost', 'test'])('in Chromium, under .%s', (top) => {
  it('a page of the shop gets a ticket by its Strict cookie, and sends events without any', async () => {
    const { emulator, page, seen } = await visit(top);
    const got = await send(page, '/s', { headers: JSON_TYPE, credentials: 'same-origin' });
    expect(got).toMatchObject({ status: 200, body: { customer: ADA } });
    const { ticket } = Reflect.get(Object(got), 'body');
    const body = JSON.stringify({ batch: [pageEvent()], ticket });
    const sent = await send(page, '/s', { headers: JSON_TYPE, credentials: 'omit', body });
    expect(sent).toMatchObject({ status: 202, body: { taken: 1 } });
    await emulator.waitForEvents(1, { timeoutMs: PATIENCE.timeout });
    expect(seen).toMatchObject([
      {
        method: 'POST',
        cookie: `session=${ADA}`,
        status: 200,
        site: top === 'test' ? undefined : 'same-origin',
      },
      { method: 'POST', cookie: undefined, status: 202 },
    ]);
  });

  it('same-site subdomain with Strict cookies: the browser sends them, and the relay gives no ticket', async () => {
    const { at, page, relay, seen } = await visit(top);
    await page.goto(at('blog.shop'));
    const url = `${at('www.shop')}/s`;
    await send(page, url, { mode: 'no-cors', credentials: 'include' });
    await send(page, url, { headers: JSON_TYPE, credentials: 'include' });
    expect(seen).toMatchObject([
      { method: 'POST', origin: at('blog.shop'), cookie: `session=${ADA}`, status: 403 },
      { method: 'OPTIONS', origin: at('blog.shop'), status: 403 },
    ]);
    expect(relay.stats().tickets).toBe(0);
  });

  it('cross-site form: gets no ticket and writes no event', async () => {
    const { at, page, relay, seen } = await visit(top);
    await page.goto(at('evil'));
    for (const enctype of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
      await page.setContent(
        `<form method="post" action="${at('www.shop')}/s" enctype="${enctype}">
          <input name='{"batch":[],"x":"' value='"}'><button>send</button></form>`,
      );
      await page.click('button');
      await page.waitForURL(`${at('www.shop')}/s`);
      await page.goto(at('evil'));
    }
    expect(seen.map(({ status }) => status)).toEqual([403, 403, 403]);
    expect(relay.stats()).toMatchObject({ tickets: 0, taken: 0 });
  });

  it('sandboxed frame: its origin is null, also in a page of the shop', async () => {
    const { at, page, relay, seen } = await visit(top);
    const script = `fetch('${at('www.shop')}/s', { method: 'POST', body: '{}', mode: 'no-cors', credentials: 'include' })`;
    await page.setContent(`<iframe sandbox="allow-scripts" srcdoc="<script>${script}</script>"></iframe>`);
    await expect.poll(() => seen.length).toBe(1);
    expect(seen).toMatchObject([{ origin: 'null', status: 403 }]);
    expect(relay.stats().tickets).toBe(0);
  });
});
