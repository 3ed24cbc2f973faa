import { ConfigError } from '@sluice/protocol';
import { isNonEmptyString, refusal } from '@sluice/protocol/toolbox';
import { sendRequest, testEvent } from '../events/sent-request.ts';
import type { Faults } from '../faults/faults.ts';
import { addPages } from '../pages.ts';
import type { Account } from '../running/account.ts';
import { type Application, addRoutes, type RequestContext } from '../running/application.ts';
import type { Parts } from '../running/emulator.ts';
import { addAudienceRoutes } from './audience-routes.ts';
import type { KeyRow, KeyRows, RequestDetails, SentRequest, Status } from './contract.ts';
import { operatorOnly } from './operator-access.ts';
import { found, readField, readFields, readId, readJson } from './request-query.ts';
import { addTrackerRoutes } from './tracker-routes.ts';

const ADMIN_PATH = '/emulator/admin';
const LIVE_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store',
  // The connection ends with the stream. So an emulator that closes does not wait for it.
  connection: 'close',
};
const LONGEST_NAME = 100;

/**
 * Adds the pages and the admin routes. With a token, they serve only requests that present it. Without one, they serve only
 * requests from this machine.
 */
export function addAdminEndpoints(
  application: Application,
  { account, behaviour, faults, live, token }: Omit<Parts, 'events' | 'api'>,
  status: () => Status,
): void {
  const guard = operatorOnly(token);
  const admin = application.basePath(ADMIN_PATH).use(guard);
  addRoutes(admin, '/status', { GET: status });
  addRoutes(admin, '/live', { GET: () => new Response(live.open(), { headers: LIVE_HEADERS }) });
  addRoutes(admin, '/clear', {
    POST: async (context) => {
      account.clear(await readJson(context));
      await faults.remove();
    },
  });
  addRoutes(admin, '/behaviour', {
    GET: () => behaviour.state,
    PUT: async (context) => {
      behaviour.change(await readJson(context));
      return behaviour.state;
    },
  });
  addTrackerRoutes(admin, account);
  addAudienceRoutes(admin, account.audience);
  addKeyRoutes(admin, account);
  addRequestRoutes(admin, account, () => status().baseUrl);
  addFaultRoutes(admin, faults);
  addPages(application, guard);
}

/** Whether a path on the API address is for the operator. */
export function isOperators(path: string): boolean {
  return path === '/' || path.startsWith('/assets/') || path.startsWith(`${ADMIN_PATH}/`);
}

function addKeyRoutes(admin: Application, { apiKeys: keys }: Account): void {
  const known = ({ req }: RequestContext): KeyRow => found(keys.get(readId(req)), 'API key');
  const readName = async (context: RequestContext): Promise<string> => {
    const name = await readField(context, 'name');
    if (isNonEmptyString(name) && name.trim() !== '' && name.length <= LONGEST_NAME) return name.trim();
    throw refusal('name', `a text of 1 to ${LONGEST_NAME} characters, which tells keys apart`, name);
  };
  addRoutes(admin, '/keys', {
    GET: (): KeyRows => ({ keys: keys.list() }),
    POST: async (context) => keys.create(await readName(context)),
  });
  addRoutes(admin, '/keys/:id', {
    PATCH: async (context) => {
      const { id } = known(context);
      keys.rename(id, await readName(context));
      return keys.get(id);
    },
    DELETE: (context) => {
      const { id, key } = known(context);
      keys.revoke(key);
      return keys.get(id);
    },
  });
}

function addRequestRoutes(
  admin: Application,
  { requests, recent, apiKeys, audience }: Account,
  baseUrl: () => string,
): void {
  const find = (req: RequestContext['req']): RequestDetails => {
    const row = found(requests.get(readId(req)), 'request');
    const exchange = recent.get(row.id);
    return { ...row, content: exchange?.content ?? null, isRepeatable: exchange?.repeatable !== undefined };
  };
  addRoutes(admin, '/requests', {
    GET: ({ req }) => requests.list(readFields(req)),
  });
  addRoutes(admin, '/requests/test-event', {
    POST: async (): Promise<SentRequest> => {
      const apiKey = apiKeys.oldest() ?? 'none';
      return { status: await sendRequest(testEvent(baseUrl(), apiKey, audience.primaryKey ?? 'email')) };
    },
  });
  addRoutes(admin, '/requests/:id', { GET: ({ req }) => find(req) });
  addRoutes(admin, '/requests/:id/again', {
    POST: async ({ req }): Promise<SentRequest> => {
      const repeatable = recent.get(find(req).id)?.repeatable;
      if (repeatable !== undefined) return { status: await sendRequest(repeatable) };
      const rule = 'must be of a request whose whole body is kept: this one cannot be sent again';
      throw new ConfigError('id', `id ${rule}`);
    },
  });
}

function addFaultRoutes(admin: Application, faults: Faults): void {
  addRoutes(admin, '/faults', {
    GET: () => faults.rows,
    POST: async (context) => {
      const fault = faults.add(await readJson(context));
      await faults.settled;
      return fault.row;
    },
    DELETE: async () => {
      await faults.remove();
    },
  });
  addRoutes(admin, '/faults/:id', {
    DELETE: async ({ req }) => {
      const wanted = readId(req);
      found((await faults.remove(({ id }) => id === wanted)) > 0, 'fault');
    },
  });
}
