import { CUSTOMER_READ_PATH, EVENTS_PATH } from '@sluice/protocol';
import { systemClock } from '@sluice/protocol/toolbox';
import { addAdminEndpoints, isOperators } from '../admin/admin-endpoints.ts';
import { LiveFeed } from '../admin/routes/live-routes.ts';
import { statusOf } from '../admin/status.ts';
import { addCustomerEndpoint } from '../customers/customer-endpoint.ts';
import { addEventsEndpoint } from '../events/events-endpoint.ts';
import { Faults } from '../faults/faults.ts';
import { addInspectionEndpoints, INSPECTION_PATHS } from '../inspection/inspection-endpoints.ts';
import type { Account } from '../running/account.ts';
import { type Application, createApplication, type RequestContext } from '../running/application.ts';
import type { Settings } from '../running/options.ts';
import type { Parts } from '../running/running-emulator.ts';
import { Exchange } from './exchange.ts';
import { Listener } from './listener.ts';
import { MalformedRequests } from './malformed-requests.ts';
import { RateLimiter } from './rate-limiter.ts';
import { createRequestListener } from './request-listener.ts';

const EVENTS_PATHS: readonly string[] = [EVENTS_PATH];
const API_PATHS: readonly string[] = [CUSTOMER_READ_PATH, ...INSPECTION_PATHS];

/**
 * Creates what serves an account: a listener for each base address, the faults that act there, and the live feed for the pages.
 */
export function createListeners(
  account: Account,
  settings: Settings,
): Pick<Parts, 'events' | 'api' | 'live' | 'faults'> {
  const { host, logger, behaviour } = settings;
  const begin = ({ req, env: { incoming } }: RequestContext): Exchange => {
    const { method, path } = req;
    const userAgent = req.header('user-agent');
    return new Exchange(account, behaviour.current, { method, path, userAgent, incoming });
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
    begin: (context) => (isOfInterface(context.req.path) ? begin(context) : undefined),
  });
  addCustomerEndpoint(apiApplication, { account, faults, limiter: new RateLimiter(systemClock) });
  addInspectionEndpoints(apiApplication, account);
  const { data } = settings;
  const startedAt = new Date().toISOString();
  const status = () =>
    statusOf({ account, behaviour, faults, data, startedAt, baseUrl: events.url, apiUrl: api.url });
  const live = new LiveFeed(status, account.events.rates);
  addAdminEndpoints(apiApplication, { account, behaviour, faults, live, status }, settings.token);
  const malformed = new MalformedRequests(account, behaviour);
  const listen = (option: string, port: number, application: Application): Listener =>
    new Listener(option, host, port, createRequestListener(application, malformed), malformed);
  const events = listen('port', settings.port, eventsApplication);
  const api = listen('apiPort', settings.apiPort, apiApplication);
  return { events, api, live, faults };
}

/** Whether a path on the API address counts as one of the interface. An unknown path does, too. */
function isOfInterface(path: string): boolean {
  return !isOperators(path) && !path.startsWith('/emulator/');
}
