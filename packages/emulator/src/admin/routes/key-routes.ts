import { ConfigError } from '@sluice/protocol';
import { describe, isNonEmptyString } from '@sluice/protocol/toolbox';
import { Refusal } from '../../events/refusal.ts';
import type { RequestContext } from '../../running/application.ts';
import type { ApiKeyStore } from '../../storage/api-key-store.ts';
import type { AdminRoutes } from '../admin-routes.ts';
import { readField } from '../body-field.ts';
import type { KeyRow, KeyRows } from '../contract.ts';
import { readId } from '../paging.ts';

const MAX_BODY_BYTES = 64 * 1024;
const LONGEST_NAME = 100;

/** Adds the routes that list, create, rename and revoke API keys. */
export function addKeyRoutes(routes: AdminRoutes, keys: ApiKeyStore): void {
  const known = ({ req }: RequestContext): KeyRow => {
    const row = keys.get(readId(req));
    if (row !== undefined) return row;
    throw new Refusal('unknown_id', 'There is no API key with this id.');
  };
  routes.add('/keys', {
    GET: (): KeyRows => ({ keys: keys.list() }),
    POST: async (context) => {
      const key = keys.create(await readName(context));
      return keys.list().find((row) => row.key === key);
    },
  });
  routes.add('/keys/:id', {
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

async function readName(context: RequestContext): Promise<string> {
  const name = await readField(context, 'name', MAX_BODY_BYTES);
  if (isNonEmptyString(name) && name.trim() !== '' && name.length <= LONGEST_NAME) return name.trim();
  const rule = `must be a text of 1 to ${LONGEST_NAME} characters, which tells keys apart`;
  throw new ConfigError('name', `name ${rule}, got ${describe(name)}`);
}
