import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createCertificate } from './certificate.ts';
import { freePort } from './port.ts';
import { Program, run } from './program.ts';
import { giveTo, serverUser } from './user.ts';

/** How a server ends: it lets transactions end, it breaks them off, it is as after a power cut, or it is killed. */
export type Stop = 'smart' | 'fast' | 'immediate' | 'kill';

const SIGNALS = { smart: 'SIGTERM', fast: 'SIGINT', immediate: 'SIGQUIT', kill: 'SIGKILL' } as const;
const HOST = '127.0.0.1';
/** The `application_name` of a standby. */
const STANDBY = 'standby';
const HBA_TLS = 'local all all trust\nhostssl all all 127.0.0.1/32 trust\n';
const POLL_MS = 50;
const READY = 'database system is ready to accept';

/** Options of `startPostgres()`. */
export interface PostgresOptions {
  /** Whether a commit is on the disk. Off, the server is faster, and a kill of its process still loses nothing. Default: false. */
  readonly fsync?: boolean;
  /** Whether it takes connections with TLS only. Default: false. */
  readonly tls?: boolean;
  /** Its data go into a new folder in this one, which its user must be able to reach. Default: the system's temporary folder. */
  readonly parent?: string;
  /** Settings of `postgresql.conf`. */
  readonly settings?: Readonly<Record<string, string | number>>;
}

/** A server of its own, in a temporary folder, on 127.0.0.1. Its superuser is `postgres`, and it asks for no password. */
export interface Postgres {
  readonly host: string;
  readonly port: number;
  /** For `pg`, as the superuser, to the database `postgres`. */
  readonly connectionString: string;
  /** The certificate of the server, as PEM; undefined without TLS. */
  readonly ca: string | undefined;
  /** The data folder. */
  readonly directory: string;
  /** The process id of the server; undefined while it is stopped. */
  readonly pid: number | undefined;
  /** As `connectionString`, as another user. */
  connectionStringOf(user: string): string;
  /** Runs SQL as the superuser, and returns what `psql` prints, without titles. */
  psql(sql: string): Promise<string>;
  /** Writes settings, which count at once where PostgreSQL allows that, else after a restart. */
  set(settings: Readonly<Record<string, string | number>>): Promise<void>;
  stop(how: Stop): Promise<void>;
  /** After `stop()`, on the same port. */
  start(): Promise<void>;
  /** Stops or continues the process of the server itself: no new connection is taken meanwhile. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void;
  /** Starts a standby, which follows this server. From then on, each commit waits for it, unless it is asynchronous. */
  startStandby(how?: 'synchronous' | 'asynchronous'): Promise<Standby>;
  /** Ends the server, and deletes its folder. */
  close(): Promise<void>;
}

export interface Standby extends Postgres {
  /** Makes it the primary. Resolves once it takes writes. */
  promote(): Promise<void>;
}

/** Starts a server. Takes about a second. */
export async function startPostgres(options: PostgresOptions = {}): Promise<Postgres> {
  const user = serverUser();
  const directory = mkdtempSync(join(options.parent ?? tmpdir(), 'sluice-postgres-'));
  giveTo(user, directory);
  const data = join(directory, 'data');
  const locale = ['--locale=C', '--encoding=UTF8'];
  await run('initdb', ['-D', data, '-U', 'postgres', '--auth=trust', '--no-sync', ...locale], user);
  return openServer(directory, options);
}

async function openServer(directory: string, options: PostgresOptions): Promise<Standby> {
  const { fsync = false, tls = false, settings } = options;
  const user = serverUser();
  const data = join(directory, 'data');
  const port = await freePort();
  const certificate = tls ? createCertificate(directory, user) : undefined;
  if (tls) writeFileSync(join(data, 'pg_hba.conf'), HBA_TLS);
  const own = {
    listen_addresses: HOST,
    unix_socket_directories: directory,
    port,
    fsync: fsync ? 'on' : 'off',
    shared_buffers: '32MB',
    // Else the promotion of a standby takes 5 s.
    wal_retrieve_retry_interval: '100ms',
    log_min_messages: 'warning',
    ...certificate?.settings,
    ...settings,
  };
  writeFileSync(join(data, 'sluice.conf'), lines(own));
  writeFileSync(join(data, 'postgresql.conf'), `include 'sluice.conf'\n`);
  const program = new Program('postgres', ['-D', data], user, READY);
  await start(program);
  const connectionStringOf = (name: string) => `postgres://${name}@${HOST}:${port}/postgres`;
  const connectionString = connectionStringOf('postgres');
  const psql = (sql: string) =>
    run('psql', ['-XAtq', '-v', 'ON_ERROR_STOP=1', '-c', sql, connectionString], user);
  const set = async (changes: PostgresOptions['settings']) => {
    writeFileSync(join(data, 'sluice.conf'), lines(Object.assign(own, changes)));
    await psql('select pg_reload_conf()');
  };

  return {
    host: HOST,
    port,
    connectionString,
    ca: certificate?.pem,
    directory: data,
    get pid() {
      return program.pid;
    },
    connectionStringOf,
    psql,
    set,
    stop: (how) => program.end(SIGNALS[how]),
    start: () => start(program),
    signal: (signal) => program.signal(signal),
    async startStandby(how = 'synchronous') {
      const copy = mkdtempSync(join(tmpdir(), 'sluice-standby-'));
      giveTo(user, copy);
      const from = `host=${HOST} port=${port} user=postgres application_name=${STANDBY}`;
      const where = ['-D', join(copy, 'data'), '-d', from];
      await run('pg_basebackup', [...where, '--write-recovery-conf', '--checkpoint=fast', '--no-sync'], user);
      const standby = await openServer(copy, { fsync });
      if (how === 'asynchronous') return standby;
      await set({ synchronous_standby_names: STANDBY });
      while ((await psql('select sync_state from pg_stat_replication')) !== 'sync\n') await sleep(POLL_MS);
      return standby;
    },
    async promote() {
      await run('pg_ctl', ['promote', '-w', '-D', data], user);
    },
    async close() {
      await program.end('SIGQUIT');
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** The processes of connections outlive a killed server for a moment. */
async function start(program: Program): Promise<void> {
  for (;;) {
    try {
      return await program.start();
    } catch (error) {
      if (!/still in use/.test(String(error))) throw error;
      await sleep(POLL_MS);
    }
  }
}

function lines(settings: Readonly<Record<string, string | number>>): string {
  return Object.entries(settings)
    .map(([name, value]) => `${name} = '${String(value).replaceAll("'", "''")}'\n`)
    .join('');
}
