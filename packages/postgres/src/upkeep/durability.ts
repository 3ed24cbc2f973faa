import { StorageError } from '@sluice/core';
import type { Database } from '../database/database.ts';

/** With these, PostgreSQL does not warn that a commit may not have reached the standby. */
const SILENT: ReadonlySet<unknown> = new Set(['error', 'fatal', 'panic']);

/** Rejects with a StorageError if a commit that PostgreSQL has answered may be lost with a power cut, or with the primary. */
export async function checkDurable(database: Database): Promise<void> {
  const [{ commit, messages } = {}] = await database.run({
    what: 'read how safe a commit is',
    text: `select current_setting('synchronous_commit') as commit, current_setting('client_min_messages') as messages`,
  });
  if (commit === 'off')
    throw new StorageError('PostgreSQL may lose the last commits: synchronous_commit is off');
  if (SILENT.has(messages))
    throw new StorageError(
      `PostgreSQL does not say which commits the standby may not have: client_min_messages is ${messages}`,
    );
}
