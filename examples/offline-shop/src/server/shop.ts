import { once } from 'node:events';
import { type Emulator, startEmulator } from '@sluice/emulator';
import type { ShopArguments } from './arguments.ts';
import { createPageServer } from './page-server.ts';

/** A shop that is open. */
export interface Shop extends AsyncDisposable {
  /** Where its page is. */
  readonly url: string;
  /** The service that takes its events. */
  readonly emulator: Emulator;
}

/** The same at every start: what waits in a browser is kept by address and key. It opens nothing but this emulator. */
const API_KEY = 'offline-shop';

/** Opens the shop: its page, and the service. Rejects where one of the ports is taken. */
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
