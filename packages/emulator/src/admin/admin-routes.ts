import { type Application, addRoutes, type Method, type RequestContext } from '../running/application.ts';

/** Where the admin routes are, on the API address. */
export const ADMIN_PATH = '/emulator/admin';

/** Handles a request of the operator. Returns a response, or a value for a JSON body; undefined for status 204. */
type AdminHandler = (context: RequestContext) => unknown;

/** Adds a path, below {@link ADMIN_PATH}. */
export type AdminRoutes = (path: string, handlers: Readonly<Partial<Record<Method, AdminHandler>>>) => void;

/**
 * The admin routes of an emulator. The pages use them, and any other program can use them to set up the emulator over HTTP.
 */
export function adminRoutes(application: Application): AdminRoutes {
  const answering = (handle: AdminHandler) => async (context: RequestContext) => {
    const result = await handle(context);
    if (result instanceof Response) return result;
    if (result === undefined) return context.body(null, 204);
    return context.json(result, 200, { 'cache-control': 'no-store' });
  };
  return (path, handlers) => {
    const answered = Object.entries(handlers).map(([method, handle]) => [method, answering(handle)]);
    addRoutes(application, ADMIN_PATH + path, Object.fromEntries(answered));
  };
}
