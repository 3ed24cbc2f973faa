import { ConfigError, describe } from '@sluice/protocol';
import type { BehaviourSwitch } from '../behaviour-switch.ts';
import { readJsonBody } from '../request-body.ts';
import type { AdminRoutes } from './admin-routes.ts';
import type { BehaviourChange } from './contract.ts';

const BODY = { maxBytes: 64 * 1024 };

/** Serves what the service behaves by, and changes it. */
export function addBehaviourRoutes(routes: AdminRoutes, behaviour: BehaviourSwitch): void {
  routes.add('/behaviour', {
    GET: () => behaviour.state,
    async PUT({ env }) {
      const { value } = await readJsonBody(env.incoming, BODY);
      behaviour.change(toChange(value));
      return behaviour.state;
    },
  });
}

function toChange(value: unknown): BehaviourChange {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ConfigError('body', `body must be an object of preset and behaviour, got ${describe(value)}`);
  }
  for (const name of Object.keys(value)) {
    if (name === 'preset' || name === 'behaviour') continue;
    throw new ConfigError(name, `${name} is not known here: there are preset and behaviour`);
  }
  return value; // what they hold is checked where it is used
}
