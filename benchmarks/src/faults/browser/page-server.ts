import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import type { PageSettings } from './page/page-settings.ts';

const SCRIPTS = { page: './page/page.js', worker: './page/worker.js' };
const HTML = '<!doctype html><title>A site that tracks</title><script type="module" src="/page.js"></script>';
const PLAIN = '<!doctype html><title>A site that does not track</title>';

/** Serves the pages of a site: one that tracks, and at `/plain` one that does not. */
export class PageServer implements AsyncDisposable {
  readonly origin: string;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    this.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  static async start(): Promise<PageServer> {
    const [page, worker] = await Promise.all([bundle(SCRIPTS.page), bundle(SCRIPTS.worker)]);
    const scripts: Readonly<Record<string, string>> = { '/page.js': page, '/worker.js': worker };
    const server = createServer(({ url = '' }, response) => {
      const { pathname } = new URL(url, 'http://page');
      const script = scripts[pathname];
      response.setHeader('content-type', script === undefined ? 'text/html' : 'text/javascript');
      response.setHeader('cache-control', 'no-cache');
      response.end(script ?? (pathname === '/plain' ? PLAIN : HTML));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return new PageServer(server);
  }

  /** The address of a page that tracks with these settings. */
  address(settings: PageSettings): string {
    return `${this.origin}/?settings=${encodeURIComponent(JSON.stringify(settings))}`;
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
