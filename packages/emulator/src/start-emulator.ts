import { CUSTOMER_READ_PATH, EVENTS_PATH } from '@sluice/protocol';
import { Account } from './account.ts';
import { createApplication } from './application.ts';
import { addCustomerEndpoint } from './customer-endpoint.ts';
import type { Emulator } from './emulator.ts';
import { addEventsEndpoint } from './events-endpoint.ts';
import { addInspectionEndpoints, INSPECTION_PATHS } from './inspection-endpoints.ts';
import { Listener } from './listener.ts';
import { checkOptions, type EmulatorOptions, type Settings } from './options.ts';
import { createRequestListener } from './request-listener.ts';
import { RunningEmulator } from './running-emulator.ts';

const EVENTS_PATHS: readonly string[] = [EVENTS_PATH];
const API_PATHS: readonly string[] = [CUSTOMER_READ_PATH, ...INSPECTION_PATHS];

/**
 * Starts the service on this machine: both endpoints of the interface, each on its own base address. Several can run
 * in one process. It keeps the process alive until `close()`.
 *
 * Rejects with `ConfigError` for a wrong option or a port that is taken, and with a `SluiceError` of code
 * `SLUICE_STORAGE` where the data directory cannot be used.
 */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const settings = checkOptions(options);
  const account = new Account(settings.data);
  try {
    const apiKey = setUp(account, settings);
    const { events, api } = createListeners(account, settings);
    const emulator = new RunningEmulator({ account, apiKey, events, api });
    await emulator.resume();
    const { baseUrl, apiUrl } = emulator;
    settings.logger.info({ baseUrl, apiUrl, primaryKey: emulator.primaryKey }, 'emulator listens');
    return emulator;
  } catch (error) {
    account.close();
    throw error;
  }
}

function setUp(account: Account, { apiKey, primaryKey, customers }: Settings): string {
  if (primaryKey !== undefined) account.selectPrimaryKey(primaryKey);
  if (customers !== undefined) account.addCustomers(customers);
  if (apiKey === undefined) return account.apiKeys.oldest() ?? account.apiKeys.create('default');
  account.apiKeys.put(apiKey, 'default');
  return apiKey;
}

function createListeners(account: Account, settings: Settings): { events: Listener; api: Listener } {
  const { host, logger, maxBodyBytes } = settings;
  const eventsApplication = createApplication(logger, {
    here: EVENTS_PATHS,
    elsewhere: API_PATHS,
    otherUrl: () => api.url,
  });
  addEventsEndpoint(eventsApplication, account, settings);
  const apiApplication = createApplication(logger, {
    here: API_PATHS,
    elsewhere: EVENTS_PATHS,
    otherUrl: () => events.url,
  });
  addCustomerEndpoint(apiApplication, account, maxBodyBytes);
  addInspectionEndpoints(apiApplication, account, maxBodyBytes);
  const events = new Listener('port', host, settings.port, createRequestListener(eventsApplication));
  const api = new Listener('apiPort', host, settings.apiPort, createRequestListener(apiApplication));
  return { events, api };
}
