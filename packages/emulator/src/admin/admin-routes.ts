import { type Application, addRoutes, type Method, type RequestContext } from '../running/application.ts';
import type { OperatorAccess } from './operator-access.ts';

/** Where the admin routes are, on the API address. */
export const ADMIN_PATH = '/emulator/admin';

/** Handles a request of the operator. Returns a response, or a value for a JSON body; undefined for status 204. */
type AdminHandler = (context: RequestContext) => unknown;

/** Adds a path, below {@link ADMIN_PATH}. */
export type AdminRoutes = (path: string, handlers: Readonly<Partial<Record<Method, AdminHandler>>>) => void;

/**
 * The admin routes of an emulator. The pages use them, and any other program can use them to set up the emulator over HTTP. They
 * are for the operator only.
 */
export function adminRoutes(application: Application, access: OperatorAccess): AdminRoutes {
  const guard = (handle: AdminHandler) => async (context: RequestContext) => {
    access.check(context);
    const result = await handle(context);
    if (result instanceof Response) return result;
    if (result === undefined) return context.body(null, 204);
    return context.body(JSON.stringify(result), 200, {
      'content-type': 'application/json',
      'cache-control': 'no-store',
    });
  };
  return (path, handlers) => {
    const guarded = Object.entries(handlers).map(([method, handle]) => [method, guard(handle)] as const);
    addRoutes(application, ADMIN_PATH + path, Object.fromEntries(guarded));
  };
}
