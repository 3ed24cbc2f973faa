import { StorageError } from '@sluice/core';
import type { Database } from '../database/database.ts';
import { SYNCHRONOUS_COMMIT } from './status.ts';

/** Rejects with a StorageError if a commit that PostgreSQL has answered may not survive a power cut. */
export async function checkDurable(database: Database): Promise<void> {
  const [row] = await database.run(SYNCHRONOUS_COMMIT);
  if (row?.value === 'off')
    throw new StorageError('PostgreSQL may lose the last commits: synchronous_commit is off');
}
