import { ConfigError } from '@sluice/protocol';
import { isNonEmptyString, refusal } from '@sluice/protocol/toolbox';
import { sendRequest, testEvent } from '../events/sent-request.ts';
import type { Faults } from '../faults/faults.ts';
import { addPages } from '../pages.ts';
import type { Account } from '../running/account.ts';
import type { Application, RequestContext } from '../running/application.ts';
import type { Parts } from '../running/emulator.ts';
import type { RequestOutcome } from '../storage/request-store.ts';
import { ADMIN_PATH, type AdminRoutes, adminRoutes } from './admin-routes.ts';
import { addAudienceRoutes } from './audience-routes.ts';
import type { KeyRow, KeyRows, RequestDetails, SentRequest, Status } from './contract.ts';
import { operatorOnly } from './operator-access.ts';
import { found, readField, readId, readJson, readPaging } from './request-query.ts';
import { addTrackerRoutes } from './tracker-routes.ts';

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
  application.use(`${ADMIN_PATH}/*`, guard);
  const add = adminRoutes(application);
  add('/status', { GET: status });
  add('/live', { GET: () => new Response(live.open(), { headers: LIVE_HEADERS }) });
  add('/clear', {
    POST: async (context) => {
      account.clear(await readJson(context));
      faults.removeAll();
      await faults.settled;
    },
  });
  add('/behaviour', {
    GET: () => behaviour.state,
    PUT: async (context) => {
      behaviour.change(await readJson(context));
      return behaviour.state;
    },
  });
  addTrackerRoutes(add, account);
  addAudienceRoutes(add, account.audience);
  addKeyRoutes(add, account);
  addRequestRoutes(add, account, () => status().baseUrl);
  addFaultRoutes(add, faults);
  addPages(application, guard);
}

/** Whether a path on the API address is for the operator. */
export function isOperators(path: string): boolean {
  return path === '/' || path.startsWith('/assets/') || path.startsWith(`${ADMIN_PATH}/`);
}

function addKeyRoutes(add: AdminRoutes, { apiKeys: keys }: Account): void {
  const known = ({ req }: RequestContext): KeyRow => found(keys.get(readId(req)), 'API key');
  const readName = async (context: RequestContext): Promise<string> => {
    const name = await readField(context, 'name');
    if (isNonEmptyString(name) && name.trim() !== '' && name.length <= LONGEST_NAME) return name.trim();
    throw refusal('name', `a text of 1 to ${LONGEST_NAME} characters, which tells keys apart`, name);
  };
  add('/keys', {
    GET: (): KeyRows => ({ keys: keys.list() }),
    POST: async (context) => keys.create(await readName(context)),
  });
  add('/keys/:id', {
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
  add: AdminRoutes,
  { requests, recent, apiKeys, audience }: Account,
  baseUrl: () => string,
): void {
  const find = (req: RequestContext['req']): RequestDetails => {
    const row = found(requests.get(readId(req)), 'request');
    const exchange = recent.get(row.id);
    return { ...row, content: exchange?.content ?? null, isRepeatable: exchange?.repeatable !== undefined };
  };
  add('/requests', {
    GET: ({ req }) => {
      // The store refuses an unknown outcome.
      const outcome = (req.query('outcome') || undefined) as RequestOutcome | undefined;
      return requests.list({ ...readPaging(req), outcome, search: req.query('search') });
    },
  });
  add('/requests/test-event', {
    POST: async (): Promise<SentRequest> => {
      const apiKey = apiKeys.oldest() ?? 'none';
      return { status: await sendRequest(testEvent(baseUrl(), apiKey, audience.primaryKey ?? 'email')) };
    },
  });
  add('/requests/:id', { GET: ({ req }) => find(req) });
  add('/requests/:id/again', {
    POST: async ({ req }): Promise<SentRequest> => {
      const repeatable = recent.get(find(req).id)?.repeatable;
      if (repeatable !== undefined) return { status: await sendRequest(repeatable) };
      const rule = 'must be of a request whose whole body is kept: this one cannot be sent again';
      throw new ConfigError('id', `id ${rule}`);
    },
  });
}

function addFaultRoutes(add: AdminRoutes, faults: Faults): void {
  add('/faults', {
    GET: () => faults.rows,
    POST: async (context) => {
      const fault = faults.add(await readJson(context));
      await faults.settled;
      return fault.row;
    },
    DELETE: async () => {
      faults.removeAll();
      await faults.settled;
    },
  });
  add('/faults/:id', {
    DELETE: async ({ req }) => {
      found(faults.remove(readId(req)), 'fault');
      await faults.settled;
    },
  });
}
