import type { AdminRoutes } from './admin-routes.ts';
import type { Status } from './contract.ts';

/** Serves what is to be known of the emulator at any moment. */
export function addStatusRoutes(routes: AdminRoutes, status: () => Status): void {
  routes.add('/status', { GET: status });
}
