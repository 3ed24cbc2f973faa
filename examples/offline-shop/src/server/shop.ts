import { once } from 'node:events';
import { type Emulator, startEmulator } from '@sluice/emulator';
import type { ShopArguments } from './arguments.ts';
import { createPageServer } from './page-server.ts';

/** A running shop. */
export interface Shop extends AsyncDisposable {
  /** URL of the page. */
  readonly url: string;
  /** The service that receives its events. */
  readonly emulator: Emulator;
}

/**
 * The same key at every start. A browser stores waiting events by service address and key, so with a new key the page would not
 * find them. The key gives access only to this emulator.
 */
const API_KEY = 'offline-shop';

/** Opens the shop: its page and the service. Rejects if one of the ports is in use. */
export async function openShop({ host, port, servicePort, apiPort }: ShopArguments): Promise<Shop> {
  const emulator = await startEmulator({
    ...{ host, port: servicePort, apiPort, apiKey: API_KEY },
    primaryKey: 'email',
    customers: [{ email: 'ada@example.com', first_name: 'Ada' }],
  });
  const server = createPageServer(emulator);
  try {
    server.listen(port, host);
    await once(server, 'listening');
  } catch (error) {
    await emulator.close();
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
      await emulator.close();
    },
  };
}
