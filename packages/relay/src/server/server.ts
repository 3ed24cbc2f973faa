import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { nonEmpty, type Rule, readRules, whole } from '@sluice/protocol/toolbox';
import { answerNode } from '../adapters/node.ts';
import type { Relay } from '../relay.ts';

export interface ServerOptions {
  /** Default: 127.0.0.1. */
  readonly host?: string | undefined;
  /** Default: 0, any free port. */
  readonly port?: number | undefined;
  /** Where pages send to. Default: `/s`. */
  readonly path?: string | undefined;
}

/** A relay that listens. */
export interface RelayServer extends AsyncDisposable {
  /** Where pages send to. */
  readonly url: string;
  /**
   * Drains: takes no more connections, answers pending requests, and delivers what it can. Each of both may take this time, in
   * milliseconds. Default: 10,000.
   */
  close(timeoutMs?: number): Promise<void>;
}

const MOST_PORT = 65_535;
const RULES: Readonly<Record<keyof ServerOptions, Rule>> = {
  host: nonEmpty('127.0.0.1'),
  port: whole(0, 0, MOST_PORT),
  path: [(value) => typeof value === 'string' && /^\/[^?#]*$/.test(value), 'a path from / on', '/s'],
};
const DRAIN_MS = 10_000;
/** Who needs longer for the head of a request does so on purpose. A phone may need long for a body. */
const SLOW = { headersTimeout: 10_000, requestTimeout: 60_000, connectionsCheckingInterval: 1_000 };

/** Checks options and fills in defaults. Throws a ConfigError. */
export function readServerOptions(given: ServerOptions): { host: string; port: number; path: string } {
  // The cast is safe: the rules hold.
  return readRules(RULES, '', given) as { host: string; port: number; path: string };
}

/**
 * Starts a server of a relay's own, which also answers `/healthz` (the process runs) and `/readyz` (it can take events). The relay
 * is closed with it. Rejects with a ConfigError if an option is wrong.
 */
export async function startRelayServer(relay: Relay, options: ServerOptions = {}): Promise<RelayServer> {
  const { host, port, path } = readServerOptions(options);
  let closing: Promise<void> | undefined;
  const server = createServer(SLOW, (request, response) => {
    const asked = request.url?.replace(/\?.*/, '');
    if (asked === path) {
      // Otherwise the connection stays open after its last answer, and the server waits for it.
      void answerNode(relay, request, response, () => closing !== undefined);
      return;
    }
    const isReady = asked === '/readyz' && relay.isReady() && !closing;
    const status = asked === '/healthz' || isReady ? 200 : asked === '/readyz' ? 503 : 404;
    response.writeHead(status, { 'content-type': 'text/plain' }).end(status === 200 ? 'ok\n' : 'no\n');
  });
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await listen(server, port, host);
  // The cast is safe: it listens on a port.
  const address = server.address() as AddressInfo;
  const drain = async (timeoutMs: number) => {
    const closed = new Promise((resolve) => server.close(resolve));
    // The server itself closes only what has had a request. First it reads what has arrived.
    await setImmediate();
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
    const deadline = setTimeout(() => server.closeAllConnections(), timeoutMs);
    await closed;
    clearTimeout(deadline);
    await relay.close({ timeoutMs });
  };
  const close = (timeoutMs = DRAIN_MS) => {
    closing ??= drain(timeoutMs);
    return closing;
  };
  const shown = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return { url: `http://${shown}:${address.port}${path}`, close, [Symbol.asyncDispose]: () => close() };
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const advice =
        cause.code === 'EADDRINUSE' || cause.code === 'EACCES'
          ? 'end the program that uses it, or choose another one (0 for any free port)'
          : 'correct the host: an address of this machine, such as 127.0.0.1';
      reject(new Error(`cannot listen on port ${port} of ${host}: ${cause.message}; ${advice}`, { cause }));
    });
    server.listen(port, host, resolve);
  });
}
