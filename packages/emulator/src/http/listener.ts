import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { ConfigError } from '@sluice/protocol';
import { messageOf } from '../messages.ts';

/** Why a port does not listen: the emulator is suspended, or a `down` fault is active. */
export type Away = 'suspended' | 'down';

/** The system gives none of these ports to another program, so that a port which was closed can be opened again. */
const PORTS = { from: 20_000, to: 32_768 };
let lastPort = randomInt(PORTS.from, PORTS.to);

/** One listening port. It can be closed, and opened again with the same number. */
export class Listener {
  readonly #option: string;
  readonly #host: string;
  readonly #createServer: () => Server;
  #port: number;
  /** The reasons why it must not listen. */
  readonly #away = new Set<Away>();
  #server: Server | undefined;
  readonly #connections = new Set<Socket>();
  /** Ends when all requested changes are done. A change that is requested while the port opens or closes waits for its turn. */
  #turns: Promise<void> = Promise.resolve();

  /** `option` names the option that set the port, for errors. Port 0 means any free port, chosen at the first `open`. */
  constructor(option: string, host: string, port: number, createServer: () => Server) {
    this.#option = option;
    this.#host = host;
    this.#port = port;
    this.#createServer = createServer;
  }

  /** Its base address, with the actual port. */
  get url(): string {
    return `http://${reachable(this.#host)}:${this.#port}`;
  }

  /**
   * Removes this reason, and starts to listen if no other is left. Rejects with {@link ConfigError} if the port or host cannot be
   * used.
   */
  open(reason: Away = 'suspended'): Promise<void> {
    return this.#inTurn(async () => {
      this.#away.delete(reason);
      if (this.#server !== undefined || this.#away.size > 0) return;
      const server = this.#createServer();
      server.on('connection', (socket) => {
        this.#connections.add(socket);
        socket.once('close', () => this.#connections.delete(socket));
      });
      server.on('request', (_, response) => {
        response.once('close', () => this.#server === server || server.closeIdleConnections());
      });
      this.#server = server;
      try {
        await this.#listen(server);
      } catch (error) {
        this.#server = undefined;
        const place = `${this.#option} ${this.#port} on host "${this.#host}"`;
        const message = isPortInUse({ cause: error })
          ? `${place} is in use: end the program that uses it, or choose another port (0 for any free one)`
          : `${place} cannot be listened on: ${messageOf(error)}`;
        throw new ConfigError(this.#option, message, { cause: error });
      }
    });
  }

  /** Stops listening. Pending requests have `graceMs` to end, then every connection is cut. */
  close(graceMs: number, reason: Away = 'suspended'): Promise<void> {
    return this.#inTurn(async () => {
      this.#away.add(reason);
      const server = this.#server;
      if (server === undefined) return;
      this.#server = undefined;
      const closed = once(server.close(), 'close');
      if (graceMs === 0) server.closeAllConnections();
      server.closeIdleConnections();
      // Browsers open connections in advance. A connection that has received nothing is idle too, but Node does not count it as
      // idle.
      for (const socket of this.#connections) if (socket.bytesRead === 0) socket.destroy();
      const timer = setTimeout(() => server.closeAllConnections(), graceMs);
      await closed;
      clearTimeout(timer);
    });
  }

  async #listen(server: Server): Promise<void> {
    for (let left = PORTS.to - PORTS.from; ; left -= 1) {
      if (this.#port === 0) lastPort = lastPort + 1 < PORTS.to ? lastPort + 1 : PORTS.from;
      const port = this.#port || lastPort;
      try {
        await once(server.listen(port, this.#host), 'listening');
        this.#port = port;
        return;
      } catch (cause) {
        // Windows keeps some ranges of ports for itself.
        const isTaken = isPortInUse({ cause }) || hasCode(cause, 'EACCES');
        if (this.#port !== 0 || left === 0 || !isTaken) throw cause;
      }
    }
  }

  #inTurn(change: () => Promise<void>): Promise<void> {
    const turn = this.#turns.then(change);
    this.#turns = turn.catch(() => {});
    return turn;
  }
}

/** Whether the cause of an error is that another program uses the port. */
export function isPortInUse({ cause }: { readonly cause?: unknown }): boolean {
  return hasCode(cause, 'EADDRINUSE');
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && Reflect.get(error, 'code') === code;
}

/** Converts a host to listen on to one to connect to: "all addresses" is no address, and an IPv6 address needs brackets. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}
