// The service: the emulator in its own process, so that the demo can kill it.
import { startEmulator } from '@sluice/emulator';
import { PRIMARY_KEY } from '../strike-event.ts';
import type { ServiceMessage, ServiceSettings } from './messages.ts';
import { receiveSettings, tell } from './parent.ts';

const { port, apiPort, data, customers } = await receiveSettings<ServiceSettings>();
try {
  const emulator = await startEmulator({
    port,
    apiPort,
    data,
    primaryKey: PRIMARY_KEY,
    customers: customers.map((customer) => ({ ...customer })),
  });
  const { baseUrl, apiUrl, apiKey } = emulator;
  await tell<ServiceMessage>({ type: 'ready', baseUrl, apiUrl, apiKey });
} catch (error) {
  await tell<ServiceMessage>({
    type: 'failed',
    reason: error instanceof Error ? error.message : String(error),
  });
}
