import { createServer, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { ConfigError } from '@sluice/protocol';
import type { MalformedRequests } from './malformed-requests.ts';

// Longer than clients keep an idle connection, so that they close it first and never send into one that is closing.
const KEEP_ALIVE_MS = 65_000;

/** Why a port is not listened on: the emulator is suspended, or a fault is on by which it is down. */
export type Away = 'suspended' | 'down';

/** One listening port, which can be closed and opened again at the same number. */
export class Listener {
  readonly #option: string;
  readonly #host: string;
  readonly #handle: RequestListener;
  readonly #malformed: MalformedRequests;
  #port: number;
  /** Why it must not listen. */
  readonly #away = new Set<Away>();
  #server: Server | undefined;
  readonly #connections = new Set<Socket>();
  /** Ends when all that was asked so far is done: what is asked while a port opens or closes takes its turn. */
  #turns: Promise<void> = Promise.resolve();

  /** `option` names the option that gave the port, for errors. Port 0 means any free one, chosen at the first `open`. */
  constructor(
    option: string,
    host: string,
    port: number,
    handle: RequestListener,
    malformed: MalformedRequests,
  ) {
    this.#option = option;
    this.#host = host;
    this.#port = port;
    this.#handle = handle;
    this.#malformed = malformed;
  }

  /** Its base address, with the real port. */
  get url(): string {
    return `http://${reachable(this.#host)}:${this.#port}`;
  }

  /**
   * Starts to listen, unless there is another reason why it is away. Rejects with {@link ConfigError} where the port or
   * host cannot be had.
   */
  open(reason: Away = 'suspended'): Promise<void> {
    return this.#inTurn(() => this.#open(reason));
  }

  /** Stops to listen. Requests under way have `graceMs` to end, then every connection is cut. */
  close(graceMs: number, reason: Away = 'suspended'): Promise<void> {
    return this.#inTurn(() => this.#close(graceMs, reason));
  }

  #inTurn(change: () => Promise<void>): Promise<void> {
    const turn = this.#turns.then(change);
    this.#turns = turn.catch(() => {});
    return turn;
  }

  async #open(reason: Away): Promise<void> {
    this.#away.delete(reason);
    if (this.#server !== undefined || this.#away.size > 0) return;
    // A request without a Host is for the handler to refuse: Node's own answer would have no words.
    const options = { keepAliveTimeout: KEEP_ALIVE_MS, requireHostHeader: false };
    const server = createServer(options, this.#handle);
    // An expectation that nobody knows may be left unmet, and the request served: refused by Node, it would be kept nowhere.
    server.on('checkExpectation', this.#handle);
    server.on('connect', (_, socket) => this.#malformed.endTunnel(socket));
    server.on('clientError', (error, socket) => this.#malformed.end(error, socket));
    server.on('connection', (socket) => {
      this.#connections.add(socket);
      socket.once('close', () => this.#connections.delete(socket));
    });
    server.on('request', (_, response) => {
      response.once('close', () => this.#server === server || server.closeIdleConnections());
    });
    this.#server = server;
    try {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen(this.#port, this.#host, resolve);
      });
    } catch (error) {
      this.#server = undefined;
      const reason = error instanceof Error ? error.message : String(error);
      const message = `${this.#option} ${this.#port} on host "${this.#host}" cannot be listened on: ${reason}`;
      throw new ConfigError(this.#option, message, { cause: error });
    }
    const address = server.address();
    if (typeof address === 'object' && address !== null) this.#port = address.port;
  }

  async #close(graceMs: number, reason: Away): Promise<void> {
    this.#away.add(reason);
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    if (graceMs === 0) {
      server.closeAllConnections();
      return closed;
    }
    server.closeIdleConnections();
    // Browsers open connections in advance: one that nothing came over is idle as well, though not to Node.
    for (const socket of this.#connections) if (socket.bytesRead === 0) socket.destroy();
    const timer = setTimeout(() => server.closeAllConnections(), graceMs);
    await closed;
    clearTimeout(timer);
  }
}

/** A host to connect to, for one to listen on: "all addresses" is none, and an IPv6 address needs brackets. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}
