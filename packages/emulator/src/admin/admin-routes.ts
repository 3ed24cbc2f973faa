import { ConfigError } from '@sluice/protocol';
import { Refusal } from '../events/refusal.ts';
import { type Application, addRoutes, type Method, type RequestContext } from '../running/application.ts';
import type { OperatorAccess } from './operator-access.ts';

/** Where the admin routes are, on the API address. */
export const ADMIN_PATH = '/emulator/admin';

/** Handles a request of the operator. Returns a response, or a value for a JSON body. */
export type AdminHandler = (context: RequestContext) => unknown;

/**
 * The admin routes of an emulator. The pages use them, and any other program can use them to set up the emulator over HTTP. They
 * are for the operator only.
 */
export class AdminRoutes {
  readonly #application: Application;
  readonly #access: OperatorAccess;

  constructor(application: Application, access: OperatorAccess) {
    this.#application = application;
    this.#access = access;
  }

  /**
   * Adds `path`, below {@link ADMIN_PATH}. If a handler throws a `ConfigError`, the answer is 422 `invalid_field`. If it returns
   * undefined, the answer is 204.
   */
  add(path: string, handlers: Readonly<Partial<Record<Method, AdminHandler>>>): void {
    const guarded = Object.entries(handlers).map(
      ([method, handle]) => [method, this.#guard(handle)] as const,
    );
    addRoutes(this.#application, ADMIN_PATH + path, Object.fromEntries(guarded));
  }

  #guard(handle: AdminHandler): (context: RequestContext) => Promise<Response> {
    return async (context) => {
      this.#access.check(context);
      try {
        const result = await handle(context);
        if (result instanceof Response) return result;
        if (result === undefined) return context.body(null, 204);
        return context.body(JSON.stringify(result), 200, {
          'content-type': 'application/json',
          'cache-control': 'no-store',
        });
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        throw new Refusal('invalid_field', error.message, { field: error.option });
      }
    };
  }
}
