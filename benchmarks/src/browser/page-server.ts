import { createServer, type Server } from 'node:http';
import type { PageBundle } from './page-bundle.ts';

const PAGE =
  '<!doctype html><meta charset="utf-8"><title>Shop</title><script type="module" src="/driver/entry.js"></script>';
const HEADERS = {
  'cache-control': 'no-store',
  // With these headers, the clock of the page has steps of 5 µs instead of 100 µs.
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
};

/** The site with the pages that track: one HTML page for all SDKs, and the scripts of each. It is never down. */
export class PageServer implements AsyncDisposable {
  readonly #server: Server;

  private constructor(bundles: ReadonlyMap<string, PageBundle>) {
    this.#server = createServer(({ url = '/' }, response) => {
      const [, name = '', file = ''] = url.split('/');
      const script = bundles.get(name)?.scripts.get(file);
      if (url === '/') response.writeHead(200, { ...HEADERS, 'content-type': 'text/html' }).end(PAGE);
      else if (script === undefined) response.writeHead(404).end();
      else response.writeHead(200, { ...HEADERS, 'content-type': 'text/javascript' }).end(script);
    });
  }

  /** @param bundles By the name of the page. Must contain `driver`. */
  static async start(bundles: ReadonlyMap<string, PageBundle>): Promise<PageServer> {
    const server = new PageServer(bundles);
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  get url(): string {
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('the page server does not listen');
    return `http://127.0.0.1:${address.port}/`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
