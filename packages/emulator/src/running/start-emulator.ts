import { CUSTOMER_READ_PATH, EVENTS_PATH } from '@sluice/protocol';
import { systemClock } from '@sluice/protocol/toolbox';
import { addAdminEndpoints } from '../admin/admin-endpoints.ts';
import type { Status } from '../admin/contract.ts';
import { LiveFeed } from '../admin/live-feed.ts';
import { isForKeys, isOwn } from '../admin/operator-access.ts';
import { BehaviourSwitch } from '../behaviour/behaviour-switch.ts';
import { customerEndpoint } from '../customers/customer-endpoint.ts';
import { eventsEndpoint } from '../events/events-endpoint.ts';
import { Faults } from '../faults/faults.ts';
import { Exchange } from '../http/exchange.ts';
import { createHttpServer } from '../http/http-server.ts';
import { addInterfaceEndpoint } from '../http/interface-endpoint.ts';
import { Listener } from '../http/listener.ts';
import { MOST_EVENTS } from '../storage/retention.ts';
import { Account } from './account.ts';
import { type Application, createApplication, type RequestContext } from './application.ts';
import { Emulator, type Parts } from './emulator.ts';
import { checkOptions, type EmulatorOptions, type Settings } from './options.ts';

/**
 * Starts the service on this machine: both endpoints of the interface, each on its own base address. Several emulators can run in
 * one process. An emulator keeps the process alive until `close()`.
 *
 * @throws Rejects with `ConfigError` for a wrong option or a port that is taken, and with a `SluiceError` of code `SLUICE_STORAGE` if
 * the data directory cannot be used.
 * @example
 * await using emulator = await startEmulator({ primaryKey: 'email', customers: [{ email: 'ada@example.com' }] });
 * const tracker = createTracker({ baseUrl: emulator.baseUrl, apiKey: emulator.apiKey, correlationKey: 'email' });
 */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const settings = checkOptions(options);
  const account = new Account(settings);
  try {
    const behaviour = new BehaviourSwitch(account.database, settings.behaviour);
    const apiKey = setUp(account, settings);
    const parts = createParts(account, settings, behaviour, apiKey);
    const emulator = new Emulator(parts);
    await emulator.resume();
    for (const fault of settings.faults) parts.faults.add(fault);
    await parts.faults.settled;
    const { baseUrl, apiUrl, primaryKey } = emulator;
    settings.logger.info({ baseUrl, apiUrl, primaryKey }, 'emulator listens');
    return emulator;
  } catch (error) {
    await account.close();
    throw error;
  }
}

function setUp(account: Account, { apiKey, primaryKey, customers }: Settings): string {
  if (primaryKey !== undefined) account.audience.selectPrimaryKey(primaryKey);
  if (customers !== undefined) account.audience.addCustomers(customers);
  if (apiKey === undefined) return account.apiKeys.oldest() ?? account.apiKeys.create('default').key;
  account.apiKeys.put(apiKey, 'default');
  return apiKey;
}

/** Creates what serves an account: a listener for each base address, the faults that act there, and the live feed for the pages. */
function createParts(
  account: Account,
  settings: Settings,
  behaviour: BehaviourSwitch,
  apiKey: string,
): Parts {
  const { host, logger, data, token } = settings;
  const begin = ({ req, env }: RequestContext): Exchange =>
    new Exchange(account, behaviour.current, req.path, env.incoming);
  const faults = new Faults(systemClock, settings.faultSeed, async (isDown) => {
    try {
      await (isDown ? events.close(0, 'down') : events.open('down'));
    } catch (error) {
      logger.error({ err: error }, 'event ingestion cannot come back after a fault');
    }
  });
  const listen = (option: string, port: number, application: Application): Listener =>
    new Listener(option, host, port, () => createHttpServer(application, account, behaviour));
  const eventsApplication = createApplication({
    logger,
    here: [EVENTS_PATH],
    otherUrl: () => api.url,
    isElsewhere: (path) => path === CUSTOMER_READ_PATH || isOwn(path),
    begin,
  });
  const apiApplication = createApplication({
    logger,
    here: [CUSTOMER_READ_PATH, '/', '/emulator/status', 'other routes below /emulator'],
    otherUrl: () => events.url,
    isElsewhere: (path) => path === EVENTS_PATH,
    isForOthers: (path) => !isOwn(path) || isForKeys(path),
    begin: (context) => (isOwn(context.req.path) ? undefined : begin(context)),
  });
  const events = listen('port', settings.port, eventsApplication);
  const api = listen('apiPort', settings.apiPort, apiApplication);
  addInterfaceEndpoint(eventsApplication, eventsEndpoint, account, faults);
  addInterfaceEndpoint(apiApplication, customerEndpoint, account, faults);
  const startedAt = new Date().toISOString();
  // The cost does not grow with the stored data, because pages ask all the time.
  const status = (): Status => {
    const { audience, requests, search, clearings } = account;
    const { unique, received, newest } = account.events.totals;
    const { preset, isChanged } = behaviour.state;
    return {
      ...{ baseUrl: events.url, apiUrl: api.url, data: data ?? null, startedAt, clearings },
      ...{ preset, isPresetChanged: isChanged, activeFaults: faults.active },
      primaryKey: audience.primaryKey,
      needsToken: token !== undefined,
      hasCustomers: audience.hasCustomers,
      audience: audience.changes,
      maxEvents: settings.maxEvents ?? MOST_EVENTS, // JSON has null for infinite
      ...{ unique, received, newestEvent: newest, newestRequest: requests.newest },
      unindexed: search.unindexed,
    };
  };
  const live = new LiveFeed(status, account.events.rates);
  const parts = { account, behaviour, faults, apiKey, token, live };
  addAdminEndpoints(apiApplication, parts, status);
  return { ...parts, events, api };
}
