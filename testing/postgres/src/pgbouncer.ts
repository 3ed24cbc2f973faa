import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './port.ts';
import { Program } from './program.ts';
import { giveTo, serverUser } from './user.ts';

/** A PgBouncer in transaction mode. */
export interface PgBouncer {
  readonly port: number;
  readonly connectionString: string;
  close(): Promise<void>;
}

/** Starts a PgBouncer in front of a server. @param poolSize Connections to the server. */
export async function startPgBouncer(
  server: { readonly port: number },
  poolSize: number,
): Promise<PgBouncer> {
  const user = serverUser();
  const directory = mkdtempSync(join(tmpdir(), 'sluice-pgbouncer-'));
  giveTo(user, directory);
  const port = await freePort();
  const users = join(directory, 'users.txt');
  const file = join(directory, 'pgbouncer.ini');
  writeFileSync(users, '"postgres" ""\n');
  writeFileSync(
    file,
    `[databases]
* = host=127.0.0.1 port=${server.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${users}
pool_mode = transaction
default_pool_size = ${poolSize}
max_client_conn = 500
`,
  );
  const program = new Program('pgbouncer', [file], user, 'process up');
  await program.start();
  return {
    port,
    connectionString: `postgres://postgres@127.0.0.1:${port}/postgres`,
    async close() {
      await program.end('SIGKILL');
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
