import { Refusal } from '../../events/refusal.ts';
import type { Faults } from '../../faults/faults.ts';
import { readJsonBody } from '../../http/request-body.ts';
import type { AdminRoutes } from '../admin-routes.ts';
import { readId } from '../paging.ts';

const BODY = { maxBytes: 256 * 1024 };

/** Adds the routes that list faults, switch them on and end them. */
export function addFaultRoutes(routes: AdminRoutes, faults: Faults): void {
  routes.add('/faults', {
    GET: () => faults.rows,
    async POST({ env }) {
      const { value } = await readJsonBody(env.incoming, BODY);
      const run = faults.add(value);
      await faults.settled;
      return faults.row(run);
    },
    async DELETE() {
      faults.removeAll();
      await faults.settled;
    },
  });
  routes.add('/faults/:id', {
    async DELETE({ req }) {
      if (!faults.remove(readId(req))) throw new Refusal('unknown_id', 'There is no fault with this id.');
      await faults.settled;
    },
  });
}
