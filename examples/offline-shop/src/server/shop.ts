import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Emulator, startEmulator } from '@sluice/emulator';
import { createRelay } from '@sluice/relay';
import type { ShopArguments } from './arguments.ts';
import { createPageServer } from './page-server.ts';

/** A running shop. */
export interface Shop extends AsyncDisposable {
  /** URL of the page. */
  readonly url: string;
  /** The service that receives its events. */
  readonly emulator: Emulator;
}

/** It gives access only to this emulator, and never leaves the server. */
const API_KEY = 'key-of-the-offline-shop';

/** Opens the shop: its page, the relay and the service. Rejects if one of the ports is in use. */
export async function openShop({ host, port, servicePort, apiPort }: ShopArguments): Promise<Shop> {
  const emulator = await startEmulator({
    ...{ host, port: servicePort, apiPort, apiKey: API_KEY },
    primaryKey: 'email',
    customers: [{ email: 'ada@example.com', first_name: 'Ada' }],
  });
  const directory = await mkdtemp(join(tmpdir(), 'sluice-shop-'));
  const relay = createRelay({
    ...{ baseUrl: emulator.baseUrl, apiKey: emulator.apiKey, correlationKey: 'email', directory },
    secret: randomBytes(32).toString('hex'),
    identify: (request) =>
      decodeURIComponent(/session=([^;]+)/.exec(request.headers.get('cookie') ?? '')?.[1] ?? ''),
    // Nobody wants to wait a second for a batch in an example.
    tracker: { batch: { maxWaitMs: 0 } },
  });
  const server = createPageServer(emulator, relay);
  const close = async () => {
    await relay.close();
    await emulator.close();
    await rm(directory, { recursive: true, force: true });
  };
  try {
    server.listen(port, host);
    await once(server, 'listening');
  } catch (error) {
    await close();
    throw error;
  }
  const address = server.address();
  const listening = typeof address === 'object' ? address?.port : undefined;
  return {
    url: `http://${new URL(emulator.baseUrl).hostname}:${listening}`,
    emulator,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await close();
    },
  };
}
