import { CUSTOMER_READ_PATH, EVENTS_PATH } from '@sluice/protocol';
import { Account } from './account.ts';
import { ADMIN_PATH, AdminRoutes } from './admin/admin-routes.ts';
import { addAudienceRoutes } from './admin/audience-routes.ts';
import { addBehaviourRoutes } from './admin/behaviour-routes.ts';
import type { Status } from './admin/contract.ts';
import { addFaultRoutes } from './admin/fault-routes.ts';
import { addKeyRoutes } from './admin/key-routes.ts';
import { addLiveRoutes, LiveFeed } from './admin/live-routes.ts';
import { OperatorAccess } from './admin/operator-access.ts';
import { addRequestRoutes } from './admin/request-routes.ts';
import { addStatusRoutes } from './admin/status-routes.ts';
import { addTrackerRoutes } from './admin/tracker-routes.ts';
import { type Application, createApplication, type RequestContext } from './application.ts';
import { systemClock } from './clock.ts';
import { addCustomerEndpoint } from './customer-endpoint.ts';
import type { Emulator } from './emulator.ts';
import { addEventsEndpoint } from './events-endpoint.ts';
import { Exchange } from './exchange.ts';
import { Faults } from './faults/faults.ts';
import { addInspectionEndpoints, INSPECTION_PATHS } from './inspection-endpoints.ts';
import { Listener } from './listener.ts';
import { MalformedRequests } from './malformed-requests.ts';
import { checkOptions, type EmulatorOptions, type Settings } from './options.ts';
import { addPages } from './pages.ts';
import { RateLimiter } from './rate-limiter.ts';
import { OPERATOR_BODY_BYTES } from './request-body.ts';
import { createRequestListener } from './request-listener.ts';
import { type Parts, RunningEmulator } from './running-emulator.ts';

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
  const account = new Account(settings);
  try {
    const apiKey = setUp(account, settings);
    const { events, api, live, faults } = createListeners(account, settings);
    const { token, behaviour } = settings;
    const emulator = new RunningEmulator({ account, behaviour, faults, apiKey, token, live, events, api });
    await emulator.resume();
    for (const fault of settings.faults) faults.add(fault);
    await faults.settled;
    const { baseUrl, apiUrl } = emulator;
    settings.logger.info({ baseUrl, apiUrl, primaryKey: emulator.primaryKey }, 'emulator listens');
    return emulator;
  } catch (error) {
    await account.close();
    throw error;
  }
}

function setUp(account: Account, { apiKey, primaryKey, customers, seed, logger }: Settings): string {
  if (primaryKey !== undefined) account.selectPrimaryKey(primaryKey);
  if (customers !== undefined) account.addCustomers(customers);
  if (seed !== undefined) {
    const events = account.seed(seed);
    if (events === undefined) logger.info({ seed }, 'seed left out: there are events already');
    else logger.info({ seed, events }, 'events loaded');
  }
  if (apiKey === undefined) return account.apiKeys.oldest() ?? account.apiKeys.create('default');
  account.apiKeys.put(apiKey, 'default');
  return apiKey;
}

function createListeners(
  account: Account,
  settings: Settings,
): Pick<Parts, 'events' | 'api' | 'live' | 'faults'> {
  const { host, logger, behaviour } = settings;
  const begin = (request: RequestContext['req']): Exchange => {
    const { method, path } = request;
    return new Exchange(account, behaviour.current, {
      method,
      path,
      userAgent: request.header('user-agent'),
    });
  };
  const faults = new Faults({
    clock: systemClock,
    seed: settings.faultSeed,
    setDown: async (isDown) => {
      try {
        await (isDown ? events.close(0, 'down') : events.open('down'));
      } catch (error) {
        logger.error({ err: error }, 'event ingestion cannot come back after a fault');
      }
    },
  });
  const eventsApplication = createApplication({
    logger,
    paths: { here: EVENTS_PATHS, elsewhere: API_PATHS, otherUrl: () => api.url },
    begin,
  });
  addEventsEndpoint(eventsApplication, { account, faults, limiter: new RateLimiter(systemClock) });
  const apiApplication = createApplication({
    logger,
    paths: { here: API_PATHS, elsewhere: EVENTS_PATHS, otherUrl: () => events.url },
    isOperators,
    begin: (request) => (isOfInterface(request.path) ? begin(request) : undefined),
  });
  addCustomerEndpoint(apiApplication, { account, faults, limiter: new RateLimiter(systemClock) });
  addInspectionEndpoints(apiApplication, account);
  const access = new OperatorAccess(settings.token);
  const routes = new AdminRoutes(apiApplication, access);
  addBehaviourRoutes(routes, behaviour);
  addFaultRoutes(routes, faults);
  const status = (): Status => {
    const { unique, received, newest, oldest } = account.events.totals;
    const { preset, isChanged } = behaviour.state;
    return {
      baseUrl: events.url,
      apiUrl: api.url,
      primaryKey: account.primaryKey,
      preset,
      isPresetChanged: isChanged,
      data: settings.data ?? null,
      unique,
      received,
      newestEvent: newest,
      oldestEvent: unique === 0 ? 0 : oldest,
      newestRequest: account.requests.newest,
      unindexed: newest - Math.max(account.search.indexed, oldest - 1),
      activeFaults: faults.active,
    };
  };
  const live = new LiveFeed(status, account.events.rates);
  addStatusRoutes(routes, status);
  addLiveRoutes(routes, live);
  addAudienceRoutes(routes, account.audience, OPERATOR_BODY_BYTES);
  addKeyRoutes(routes, account.apiKeys);
  addTrackerRoutes(routes, account);
  addRequestRoutes(routes, account.requests);
  addPages(apiApplication, access);
  const malformed = new MalformedRequests(account, behaviour);
  const listen = (option: string, port: number, application: Application): Listener =>
    new Listener(option, host, port, createRequestListener(application, malformed), malformed);
  const events = listen('port', settings.port, eventsApplication);
  const api = listen('apiPort', settings.apiPort, apiApplication);
  return { events, api, live, faults };
}

function isOperators(path: string): boolean {
  return path === '/' || path.startsWith('/assets/') || path.startsWith(`${ADMIN_PATH}/`);
}

/** Whether a path of the API address is one of the interface, or was meant to be. */
function isOfInterface(path: string): boolean {
  return !isOperators(path) && !path.startsWith('/emulator/');
}
