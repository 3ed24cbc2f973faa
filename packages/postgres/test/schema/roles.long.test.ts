import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createOutbox, migrate, type RunQuery } from '../../src/index.ts';
import { RIGHTS, ROLES, VACUUM_RIGHT } from '../bench/readme-sql.ts';
import { describeOnPostgres } from '../bench/server.ts';

const ADA = { correlationValue: 'ada@example.com' };
const outbox = createOutbox({ correlationKey: 'email' });

describeOnPostgres('the roles of the README', (database) => {
  const pools: Record<string, pg.Pool> = {};
  /** Runs SQL as a role. */
  const as = (role: string, sql: string) => poolOf(role).query(sql);

  function poolOf(role: string): pg.Pool {
    pools[role] ??= new pg.Pool({ connectionString: database.server.connectionStringOf(`sluice_${role}`) });
    return pools[role];
  }

  beforeAll(async () => {
    await database.pool.query(ROLES);
    expect(await migrate(poolOf('maintenance'))).toEqual([1]);
    await as('maintenance', RIGHTS);
  });

  afterAll(async () => {
    await Promise.all(Object.values(pools).map((pool) => pool.end()));
  });

  it('let an application insert events, and nothing else', async () => {
    const insert: RunQuery = (sql, values) => poolOf('insert').query(sql, values);
    expect(await outbox.track(insert, 'purchase', { total: 42.5 }, ADA)).toBe(1);
    expect(await outbox.trackAll(insert, [{ name: 'purchase', ...ADA }])).toBe(1);
    for (const sql of [
      'select from sluice.outbox',
      'delete from sluice.outbox',
      `update sluice.outbox set body = ''`,
      'truncate sluice.outbox',
      'select from sluice.slot',
      'select from sluice.parcel',
      'insert into sluice.slot default values',
      'create table sluice.mine (id int)',
    ])
      await expect(as('insert', sql), sql).rejects.toThrow('permission denied');
  });

  it('let a publisher read no event, and not touch the outbox', async () => {
    for (const sql of [
      'select body from sluice.parcel',
      `update sluice.parcel set body = ''`,
      'truncate sluice.parcel',
      'select from sluice.outbox',
    ])
      await expect(as('publish', sql), sql).rejects.toThrow('permission denied');
  });

  it('let a forwarder take events out, and not change tables', async () => {
    const { rows } = await as('forward', 'delete from sluice.outbox returning body');
    expect(rows).toHaveLength(2);
    for (const sql of [`update sluice.outbox set body = ''`, 'truncate sluice.outbox'])
      await expect(as('forward', sql), sql).rejects.toThrow('permission denied');
    await expect(as('forward', 'drop table sluice.outbox')).rejects.toThrow('must be owner');
  });

  it('let a forwarder run VACUUM once it has that right', async () => {
    const vacuums = async () => {
      const notices: string[] = [];
      const client = await poolOf('forward').connect();
      client.on('notice', ({ message }) => notices.push(String(message)));
      await client.query('vacuum sluice.slot, sluice.parcel, sluice.outbox');
      client.release(true);
      return notices;
    };
    expect((await vacuums()).join()).toContain('skipping "outbox"');
    await database.pool.query(VACUUM_RIGHT);
    expect(await vacuums()).toEqual([]);
  });
});
