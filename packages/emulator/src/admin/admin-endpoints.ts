import { ConfigError } from '@sluice/protocol';
import { isNonEmptyString, refusal } from '@sluice/protocol/toolbox';
import { sendRequest, testEvent } from '../events/sent-request.ts';
import type { Faults } from '../faults/faults.ts';
import { addPages } from '../pages.ts';
import type { Account } from '../running/account.ts';
import { type Application, addRoutes, type RequestContext } from '../running/application.ts';
import type { Parts } from '../running/emulator.ts';
import { addAudienceRoutes } from './audience-routes.ts';
import type { KeyRow, KeyRows, RequestDetails, RequestRow, SentRequest, Status } from './contract.ts';
import { addEventRoutes } from './event-routes.ts';
import { guardOf } from './operator-access.ts';
import { found, readField, readFields, readId, readJson } from './request-query.ts';

const LIVE_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store',
  // The connection ends with the stream. So an emulator that closes does not wait for it.
  connection: 'close',
};
const LONGEST_NAME = 100;

/** Adds the pages, and the routes below `/emulator`. operator-access.ts says who may use them. */
export function addAdminEndpoints(
  application: Application,
  { account, behaviour, faults, live, token }: Omit<Parts, 'events' | 'api'>,
  status: () => Status,
): void {
  const guard = guardOf(token, account.apiKeys);
  const routes = application.basePath('/emulator').use(guard);
  addRoutes(routes, '/status', { GET: status });
  addRoutes(routes, '/live', { GET: () => new Response(live.open(), { headers: LIVE_HEADERS }) });
  addRoutes(routes, '/clear', {
    POST: async (context) => {
      account.clear(await readJson(context));
      await faults.remove();
    },
  });
  addRoutes(routes, '/behaviour', {
    GET: () => behaviour.state,
    PUT: async (context) => {
      behaviour.change(await readJson(context));
      return behaviour.state;
    },
  });
  addEventRoutes(routes, account);
  addAudienceRoutes(routes, account.audience);
  addKeyRoutes(routes, account);
  addRequestRoutes(routes, account, () => status().baseUrl);
  addFaultRoutes(routes, faults);
  addPages(application, guard);
}

function addKeyRoutes(routes: Application, { apiKeys: keys }: Account): void {
  const known = ({ req }: RequestContext): KeyRow => found(keys.get(readId(req)), 'API key');
  const readName = async (context: RequestContext): Promise<string> => {
    const name = await readField(context, 'name');
    if (isNonEmptyString(name) && name.trim() !== '' && name.length <= LONGEST_NAME) return name.trim();
    throw refusal('name', `a text of 1 to ${LONGEST_NAME} characters, which tells keys apart`, name);
  };
  addRoutes(routes, '/keys', {
    GET: (): KeyRows => ({ keys: keys.list() }),
    POST: async (context) => keys.create(await readName(context)),
  });
  addRoutes(routes, '/keys/:id', {
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
  routes: Application,
  { requests, apiKeys, audience }: Account,
  baseUrl: () => string,
): void {
  const find = (req: RequestContext['req']): RequestRow => found(requests.get(readId(req)), 'request');
  addRoutes(routes, '/requests', {
    GET: ({ req }) => requests.list(readFields(req, 'before', 'limit', 'outcome', 'search')),
  });
  addRoutes(routes, '/requests/test-event', {
    POST: async (): Promise<SentRequest> => {
      const apiKey = apiKeys.oldest() ?? 'none';
      return { status: await sendRequest(testEvent(baseUrl(), apiKey, audience.primaryKey ?? 'email')) };
    },
  });
  addRoutes(routes, '/requests/:id', {
    GET: async ({ req }): Promise<RequestDetails> => {
      const row = find(req);
      const exchange = requests.recent(row.id);
      const content = (await exchange?.content()) ?? null;
      return { ...row, content, isRepeatable: exchange?.repeatable !== undefined };
    },
  });
  addRoutes(routes, '/requests/:id/again', {
    POST: async ({ req }): Promise<SentRequest> => {
      const repeatable = requests.recent(find(req).id)?.repeatable;
      if (repeatable !== undefined) return { status: await sendRequest(repeatable) };
      const rule = 'must be of a request whose whole body is kept: this one cannot be sent again';
      throw new ConfigError('id', `id ${rule}`);
    },
  });
}

function addFaultRoutes(routes: Application, faults: Faults): void {
  addRoutes(routes, '/faults', {
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
  addRoutes(routes, '/faults/:id', {
    DELETE: async ({ req }) => {
      const wanted = readId(req);
      found((await faults.remove(({ id }) => id === wanted)) > 0, 'fault');
    },
  });
}
