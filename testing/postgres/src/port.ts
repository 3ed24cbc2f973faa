import { createServer } from 'node:net';

/** Below the ports that Linux gives to connections: one of them could take the port of a server that is away for a moment. */
const FIRST = 20_000;
const LAST = 32_000;

/** A free port of 127.0.0.1, by chance: tests run at the same time. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST));
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
