import type { BehaviourSwitch } from '../../behaviour/behaviour-switch.ts';
import { readJsonBody } from '../../http/request-body.ts';
import type { AdminRoutes } from '../admin-routes.ts';

const BODY = { maxBytes: 64 * 1024 };

/** Adds the routes that read and change the service's behaviour. */
export function addBehaviourRoutes(routes: AdminRoutes, behaviour: BehaviourSwitch): void {
  routes.add('/behaviour', {
    GET: () => behaviour.state,
    async PUT({ env }) {
      const { value } = await readJsonBody(env.incoming, BODY);
      behaviour.change(value);
      return behaviour.state;
    },
  });
}
