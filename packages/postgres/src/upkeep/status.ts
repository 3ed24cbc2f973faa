import type { Database } from '../database/database.ts';

/** A table of the schema. */
export interface TableStatus {
  readonly name: string;
  /** With its indexes, in bytes. */
  readonly bytes: number;
  /** Estimates of PostgreSQL. Many dead rows mean that it cannot use their space again. */
  readonly liveRows: number;
  readonly deadRows: number;
}

/** What keeps PostgreSQL from using the space of dead rows again. */
export interface VacuumHolder {
  readonly kind: 'transaction' | 'prepared transaction' | 'replication slot';
  /** The process id and the application, or the name. */
  readonly name: string;
  /** How long it has run, in milliseconds; undefined for a replication slot. */
  readonly ageMs: number | undefined;
}

/** The state of the tables, as of now. */
export interface PostgresStatus {
  readonly tables: readonly TableStatus[];
  /** What holds vacuum back most. Undefined if nothing does. */
  readonly vacuumHolder: VacuumHolder | undefined;
  /** The setting in force. Only `on` and `remote_apply` keep every acknowledged event if the primary is lost. */
  readonly synchronousCommit: string;
}

// What is of another database, or only runs VACUUM, holds nothing here.
const HOLDER = `select 'transaction' as kind, pid || ' ' || application_name as name,
    extract(epoch from now() - xact_start) * 1000 as age, age(coalesce(backend_xmin, backend_xid)) as held
    from pg_stat_activity where coalesce(backend_xmin, backend_xid) is not null and pid <> pg_backend_pid()
    and coalesce(datname, current_database()) = current_database() and pid not in (select pid from pg_stat_progress_vacuum)
  union all select 'prepared transaction', gid, extract(epoch from now() - prepared) * 1000, age(transaction)
    from pg_prepared_xacts where database = current_database()
  union all select 'replication slot', slot_name, null, age(xmin) from pg_replication_slots where xmin is not null
  order by held desc limit 1`;

/** Asks PostgreSQL for the state of the tables. */
export async function readStatus(database: Database): Promise<PostgresStatus> {
  const what = 'read the state of the tables';
  const [tables, holders, [setting]] = [
    await database.run({
      what,
      text: `select relname as name, pg_total_relation_size(relid) as bytes, n_live_tup as live, n_dead_tup as dead
        from pg_stat_all_tables where relid in (select unnest($1::regclass[])) order by relname`,
      values: [['slot', 'parcel', 'outbox'].map((table) => `${database.schema}.${table}`)],
    }),
    await database.run({ what, text: HOLDER }),
    await database.run({ what, text: `select current_setting('synchronous_commit') as value` }),
  ];
  return {
    tables: tables.map(({ name, bytes, live, dead }) => ({
      name: String(name),
      bytes: Number(bytes),
      liveRows: Number(live),
      deadRows: Number(dead),
    })),
    vacuumHolder: holders.map(({ kind, name, age }) => ({
      kind: kind as VacuumHolder['kind'],
      name: String(name),
      ageMs: age === null ? undefined : Number(age),
    }))[0],
    synchronousCommit: String(setting?.value),
  };
}
