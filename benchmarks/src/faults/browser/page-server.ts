import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import type { PageSettings } from './page/page-settings.ts';
import type { VisitSettings } from './page/visit-settings.ts';

const SCRIPTS = { page: './page/page.js', visitor: './page/visitor.js', worker: './page/worker.js' };
const HTML = '<!doctype html><title>A site that tracks</title><script type="module" src="/page.js"></script>';
const VISITOR = HTML.replace('page.js', 'visitor.js');
const PLAIN = '<!doctype html><title>A site that does not track</title>';

/** A browser that has not begun to prerender a page by then does not. */
const PRERENDERED_MS = 10_000;
const LOOK_MS = 20;

/** A page of another site, if it is asked for under another name: it soon goes to the address in its query. */
const ELSEWHERE =
  '<!doctype html><title>Elsewhere</title><script>setTimeout(() => { location.href = decodeURIComponent(location.search.slice(1)); }, 50)</script>';

/**
 * Serves the pages of a site: one that tracks, at `/visit` one that goes to the next page by itself, at `/plain` one that does not
 * track, and at `/elsewhere` one of another site. At `/prerendered` it answers once the browser has prerendered as many as asked for.
 */
export class PageServer implements AsyncDisposable {
  readonly origin: string;
  /** How many pages were prerendered. */
  prerendered = 0;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    this.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  static async start(): Promise<PageServer> {
    const scripts: Readonly<Record<string, string>> = Object.fromEntries(
      await Promise.all(
        Object.entries(SCRIPTS).map(async ([name, script]) => [`/${name}.js`, await bundle(script)] as const),
      ),
    );
    const pages: Readonly<Record<string, string>> = {
      '/plain': PLAIN,
      '/visit': VISITOR,
      '/elsewhere': ELSEWHERE,
    };
    const server = createServer(async ({ headers, url = '' }, response) => {
      const { pathname, search } = new URL(url, 'http://page');
      if (pathname === '/prerendered') await served.#hasPrerendered(Number(search.slice(1)));
      const script = scripts[pathname];
      if (script === undefined && headers['sec-purpose']?.includes('prerender')) served.prerendered += 1;
      response.setHeader('content-type', script === undefined ? 'text/html' : 'text/javascript');
      response.setHeader('cache-control', 'no-cache');
      response.end(script ?? pages[pathname] ?? HTML);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const served = new PageServer(server);
    return served;
  }

  /** The address of a page that tracks with these settings. */
  address(settings: PageSettings): string {
    return `${this.origin}/?settings=${encodeURIComponent(JSON.stringify(settings))}`;
  }

  /** The address of the first page of a visit. */
  visit(settings: VisitSettings): string {
    return `${this.origin}/visit?${encodeURIComponent(JSON.stringify(settings))}`;
  }

  /** Resolves once so many pages were prerendered, or if the browser does not want to. */
  async #hasPrerendered(count: number): Promise<void> {
    for (const end = Date.now() + PRERENDERED_MS; this.prerendered < count && Date.now() < end; )
      await pause(LOOK_MS);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server.close(), 'close');
    this.#server.closeAllConnections();
    await closed;
  }
}

/** Bundles a script with all its imports, as a site would do it. */
async function bundle(script: string): Promise<string> {
  const input = fileURLToPath(new URL(script, import.meta.url));
  const bundled = await rolldown({ input, platform: 'browser' });
  const { output } = await bundled.generate({ format: 'esm' });
  await bundled.close();
  return output[0].code;
}
