import type { BehaviourSwitch } from '../behaviour/behaviour-switch.ts';
import type { Faults } from '../faults/faults.ts';
import { OPERATOR_BODY_BYTES } from '../http/request-body.ts';
import { addPages } from '../pages.ts';
import type { Account } from '../running/account.ts';
import type { Application } from '../running/application.ts';
import { ADMIN_PATH, AdminRoutes } from './admin-routes.ts';
import { readField } from './body-field.ts';
import type { Status } from './contract.ts';
import { OperatorAccess } from './operator-access.ts';
import { addAudienceRoutes } from './routes/audience-routes.ts';
import { addBehaviourRoutes } from './routes/behaviour-routes.ts';
import { addFaultRoutes } from './routes/fault-routes.ts';
import { addKeyRoutes } from './routes/key-routes.ts';
import { addLiveRoutes, type LiveFeed } from './routes/live-routes.ts';
import { addRequestRoutes } from './routes/request-routes.ts';
import { addTrackerRoutes } from './routes/tracker-routes.ts';

/** What the operator sees and changes. */
export interface Operated {
  readonly account: Account;
  readonly behaviour: BehaviourSwitch;
  readonly faults: Faults;
  readonly live: LiveFeed;
  readonly status: () => Status;
}

/**
 * Adds the pages and the admin routes. With a token, they serve only requests that present it. Without one, they serve only
 * requests from this machine.
 */
export function addAdminEndpoints(
  application: Application,
  { account, behaviour, faults, live, status }: Operated,
  token: string | undefined,
): void {
  const access = new OperatorAccess(token);
  const routes = new AdminRoutes(application, access);
  routes.add('/status', { GET: status });
  routes.add('/clear', {
    POST: async (context) => {
      account.clear({ customers: (await readField(context, 'customers', OPERATOR_BODY_BYTES)) === true });
      faults.removeAll();
      await faults.settled;
    },
  });
  addLiveRoutes(routes, live);
  addTrackerRoutes(routes, account);
  addAudienceRoutes(routes, account.audience, OPERATOR_BODY_BYTES);
  addKeyRoutes(routes, account.apiKeys);
  addBehaviourRoutes(routes, behaviour);
  addRequestRoutes(routes, account, () => status().baseUrl);
  addFaultRoutes(routes, faults);
  addPages(application, access);
}

/** Whether a path on the API address is for the operator. */
export function isOperators(path: string): boolean {
  return path === '/' || path.startsWith('/assets/') || path.startsWith(`${ADMIN_PATH}/`);
}
