import pg from 'pg';
import { expect, it, onTestFinished, vi } from 'vitest';
import { migrate } from '../../src/index.ts';
import { Network } from '../bench/network.ts';
import { describeOnPostgres } from '../bench/server.ts';

describeOnPostgres('migrate()', (database) => {
  it('rejects if its connection is cut, and does not end the process', async () => {
    const uncaught: unknown[] = [];
    const others = process.listeners('uncaughtException');
    process.removeAllListeners('uncaughtException').on('uncaughtException', (error) => uncaught.push(error));
    onTestFinished(() => {
      process.removeAllListeners('uncaughtException');
      for (const other of others) process.on('uncaughtException', other);
    });
    const network = await Network.start(database.server.port);
    const pool = new pg.Pool({ connectionString: network.connectionString });
    pool.on('error', () => {});
    const client = await database.pool.connect();
    await client.query('begin');
    await client.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', ['sluice migrate "cut"']);
    const migrated = migrate(pool, { schema: 'cut' });
    const waits = `select 1 from pg_stat_activity where wait_event = 'advisory'`;
    await vi.waitFor(async () => expect((await database.pool.query(waits)).rowCount).toBe(1));
    network.cut();
    await expect(migrated).rejects.toThrow();
    await new Promise((resolve) => setTimeout(resolve, 100));
    await client.query('rollback');
    client.release();
    await pool.end();
    await network.close();
    expect(uncaught).toEqual([]);
  });
});
