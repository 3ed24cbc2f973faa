import { readdir, readFile } from 'node:fs/promises';
import { ConfigError } from '@sluice/protocol';
import { ANYTHING, hasMethods, type Rule, readRules } from '@sluice/protocol/toolbox';
import type { ClientBase, Pool, PoolClient } from 'pg';
import { quotedSchema } from './schema-name.ts';

/** The files `001-tables.sql` and so on, beside `src` and `dist`. */
const FILES = new URL('../../sql/', import.meta.url);
// Not `to_regclass`: what it remembers of the catalog may be older than the lock.
const FIND_SCHEMA = `select from pg_namespace where '"' || nspname || '"' = $1`;
const FIND_TABLES = `select tablename as name from pg_tables where '"' || schemaname || '"' = $1
  and tablename in ('migration', 'outbox', 'parcel', 'slot')`;
/** How many these are. */
const TABLES = 4;
const LOCK = 'select pg_advisory_xact_lock(hashtextextended($1, 0))';

const ignore = () => {};

/** Options of `migrate()`. */
export interface MigrateOptions {
  /** The schema of the tables. Default: `sluice`. */
  readonly schema?: string | undefined;
}

const RULES: Readonly<Record<keyof MigrateOptions, Rule>> = { schema: ANYTHING };

/**
 * Makes the tables, or brings them up to date, in one transaction. Several processes may call it at once. It changes nothing, and
 * needs no right but to read the table `migration`, if there is nothing to do.
 *
 * @returns The versions that this call added.
 * @throws Rejects with a ConfigError for a wrong argument and for a schema with a table `migration` of another program, and with the
 *   errors of `pg`.
 * @example await migrate(pool, { schema: 'sluice' });
 */
export async function migrate(pool: Pool, options: MigrateOptions = {}): Promise<number[]> {
  const { schema } = readRules(RULES, '', options);
  const quoted = quotedSchema(schema);
  // Without the value: it may be an address with a password.
  if (!hasMethods(pool, 'connect')) throw new ConfigError('pool', 'pool must be a Pool of pg');
  const files = await migrationFiles();
  const client = await connected(pool);
  try {
    const added = await migrateOn(client, quoted, files);
    client.release();
    client.off('error', ignore);
    return added;
  } catch (error) {
    // Closes the connection, and so ends its transaction.
    client.release(true);
    throw error;
  }
}

/** A connection. Without a listener, one that is cut while it is used ends the process. With a callback: see `Database`. */
function connected(pool: Pool): Promise<PoolClient> {
  return new Promise((resolve, reject) => {
    pool.connect((error, client) => {
      if (!client) return reject(error);
      client.on('error', ignore);
      resolve(client);
    });
  });
}

async function migrateOn(client: ClientBase, quoted: string, files: Migration[]): Promise<number[]> {
  if ((await missing(client, quoted, files)).length === 0) return [];
  // Each statement sees what others committed before it: also what happened while this one waited for the lock.
  await client.query('begin isolation level read committed');
  await client.query(LOCK, [`sluice migrate ${quoted}`]);
  // Another process may have done it while this one waited.
  const todo = await missing(client, quoted, files);
  for (const { version, sql } of todo) {
    if (version === 1) await createSchema(client, quoted);
    await client.query(sql.replaceAll(':schema', quoted));
    await client.query(`insert into ${quoted}.migration (version) values ($1)`, [version]);
  }
  await client.query('commit');
  return todo.map(({ version }) => version);
}

interface Migration {
  readonly version: number;
  readonly sql: string;
}

async function migrationFiles(): Promise<Migration[]> {
  const names = (await readdir(FILES)).sort();
  const texts = await Promise.all(names.map((name) => readFile(new URL(name, FILES), 'utf8')));
  return names.map((name, index) => ({ version: Number.parseInt(name, 10), sql: texts[index] ?? '' }));
}

/** What the schema does not have yet. */
async function missing(client: ClientBase, quoted: string, files: Migration[]): Promise<Migration[]> {
  const { rows: tables } = await client.query<{ name: string }>(FIND_TABLES, [quoted]);
  if (!tables.some(({ name }) => name === 'migration')) return files;
  // Other programs have a table of this name too, and their versions may be the same.
  if (tables.length < TABLES)
    throw new ConfigError(
      'schema',
      `schema must be a schema of Sluice alone: ${quoted} has a table migration, but not the tables of Sluice`,
    );
  const done = await client.query<{ version: number }>(`select version from ${quoted}.migration`);
  const versions = new Set(done.rows.map(({ version }) => version));
  return files.filter(({ version }) => !versions.has(version));
}

/** Asks first: `create schema if not exists` needs the right to create one, even if it exists. */
async function createSchema(client: ClientBase, quoted: string): Promise<void> {
  const { rowCount } = await client.query(FIND_SCHEMA, [quoted]);
  if (rowCount === 0) await client.query(`create schema ${quoted}`);
  await client.query(
    `create table ${quoted}.migration (version integer primary key, at timestamptz not null default now())`,
  );
}
