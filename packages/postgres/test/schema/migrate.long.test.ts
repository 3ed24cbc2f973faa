import { ConfigError } from '@sluice/core';
import pg from 'pg';
import { expect, it } from 'vitest';
import { migrate } from '../../src/index.ts';
import { describeOnPostgres } from '../bench/server.ts';

describeOnPostgres('migrate()', (database) => {
  it('makes the tables, and then finds nothing to do', async () => {
    expect(await migrate(database.pool)).toEqual([1]);
    expect(await migrate(database.pool)).toEqual([]);
    const { rows } = await database.pool.query(
      `select tablename from pg_tables where schemaname = 'sluice' order by tablename`,
    );
    expect(rows.map(({ tablename }) => tablename)).toEqual(['migration', 'outbox', 'parcel', 'slot']);
    const slots = await database.pool.query(
      'select outbox, owner, epoch, until from sluice.slot order by outbox',
    );
    expect(slots.rows).toHaveLength(16);
    expect(slots.rows[15]).toEqual({ outbox: 15, owner: null, epoch: '0', until: Number.NEGATIVE_INFINITY });
  });

  it('is done once where many processes call it at once', async () => {
    const calls = Array.from({ length: 8 }, () => migrate(database.pool, { schema: 'at_once' }));
    const added = await Promise.all(calls);
    expect(added.flat()).toEqual([1]);
    const { rows } = await database.pool.query('select count(*)::int from at_once.slot');
    expect(rows).toEqual([{ count: 16 }]);
  });

  it('needs no right to create a schema that is there already', async () => {
    await database.pool.query('create role owner_only login; create schema ready authorization owner_only');
    const pool = new pg.Pool({ connectionString: database.server.connectionStringOf('owner_only') });
    expect(await migrate(pool, { schema: 'ready' })).toEqual([1]);
    await pool.end();
  });

  it('leaves nothing behind where it may not do it, and says why', async () => {
    await database.pool.query('create role nobody_special login');
    const pool = new pg.Pool({ connectionString: database.server.connectionStringOf('nobody_special') });
    await expect(migrate(pool, { schema: 'refused' })).rejects.toThrow('permission denied for database');
    await pool.end();
    const { rows } = await database.pool.query(`select to_regnamespace('refused') as found`);
    expect(rows).toEqual([{ found: null }]);
  });

  it('refuses a schema in which another program has a table of its name', async () => {
    await database.pool.query(
      'create schema app; create table app.migration (version int); insert into app.migration values (1)',
    );
    const error = await migrate(database.pool, { schema: 'app' }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ConfigError);
    expect(error).toMatchObject({
      message:
        'schema must be a schema of Sluice alone: "app" has a table migration, but not the tables of Sluice',
    });
  });

  it('runs no SQL that comes in place of a name', async () => {
    const schema = 'x"; drop schema sluice cascade; --';
    await expect(migrate(database.pool, { schema })).rejects.toThrow(ConfigError);
  });
});
