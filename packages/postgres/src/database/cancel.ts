import { connect } from 'node:net';
import type { PoolClient } from 'pg';

/** The code of a request to cancel, in PostgreSQL's protocol. */
const CANCEL = 80_877_102;
const BYTES = 16;
const TIMEOUT_MS = 5_000;

/** What `pg` knows of a connection beside its types. */
interface Session {
  readonly host?: unknown;
  readonly port?: unknown;
  readonly processID?: unknown;
  readonly secretKey?: unknown;
}

/**
 * Asks PostgreSQL to end the statement of a connection. Without that, one that waits for a lock goes on waiting after its connection
 * was closed, and takes one of the server's connections. Nobody is told whether this succeeds. It goes without TLS, which every server
 * takes: the key in it counts for this connection only, which is closed.
 */
export function cancelStatement(client: PoolClient): void {
  const { host, port, processID, secretKey }: Session = client;
  if (typeof host !== 'string' || typeof processID !== 'number' || typeof secretKey !== 'number') return;
  const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(Number(port), host);
  socket.on('error', () => {});
  socket.setTimeout(TIMEOUT_MS, () => socket.destroy());
  socket.unref();
  const request = Buffer.alloc(BYTES);
  for (const [index, value] of [BYTES, CANCEL, processID, secretKey].entries())
    request.writeInt32BE(value, 4 * index);
  socket.end(request);
}
