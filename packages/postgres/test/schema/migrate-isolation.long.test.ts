import pg from 'pg';
import { expect, it } from 'vitest';
import { migrate } from '../../src/index.ts';
import { describeOnPostgres } from '../bench/server.ts';

describeOnPostgres('migrate()', (database) => {
  it('is done once where many processes call it at once, whatever the default isolation is', async () => {
    const { connectionString } = database.server;
    const pool = new pg.Pool({
      connectionString: `${connectionString}?options=-c%20default_transaction_isolation%3Dserializable`,
    });
    const calls = Array.from({ length: 8 }, () => migrate(pool, { schema: 'at_once' }));
    const added = await Promise.allSettled(calls);
    await pool.end();
    const failed = added.flatMap((call) => (call.status === 'rejected' ? [String(call.reason)] : []));
    expect(failed).toEqual([]);
  });
});
