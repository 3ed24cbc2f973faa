import { Socket } from 'node:net';
import { ConfigError } from '@sluice/protocol';
// By its file: Bun has a stub in place of the module, which makes no requests.
import { type buildConnector, Client, EnvHttpProxyAgent } from 'undici/index.js';

const MAX_HEADER_BYTES = 16 * 1024;

/** A connection to an origin, for one request at a time. It connects with the first request, and again if it was closed. */
export class UndiciConnection {
  readonly origin: string;
  isFree = true;
  readonly client: Client;
  /** Set as soon as it starts to connect: the client does not close a socket that is still connecting. */
  #socket: Socket | undefined;

  constructor(origin: string, connector: buildConnector.connector) {
    this.origin = origin;
    this.client = new Client(origin, {
      pipelining: 1,
      maxHeaderSize: MAX_HEADER_BYTES,
      // Off: undici counts these in half seconds, and restarts them with each interim answer and each byte of a body.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: (options, callback) => {
        const socket: unknown = connector(options, (...[error, connected]) =>
          error === null ? callback(null, connected) : callback(explained(error, this.origin), null),
        );
        if (!(socket instanceof Socket)) return;
        this.#socket = socket;
        // A pending request keeps the process alive for as long as `ExitBudget` says. The client would do so until it is answered.
        socket.unref();
        socket.ref = () => socket;
      },
    });
  }

  /** Whether a part of the request is not yet passed to the operating system. */
  get isWriting(): boolean {
    return this.#socket !== undefined && this.#socket.writableLength > 0;
  }

  async close(): Promise<void> {
    const closed = this.client.destroy();
    this.#socket?.destroy();
    await closed;
  }
}

/** Node's error. One for a name with two addresses has no message, and one for a Unix socket has its path as the address. */
type ConnectError = Error & {
  readonly code?: string;
  readonly address?: string;
  readonly port?: number;
};

/** Says in words why there is no connection, in one line: messages of OpenSSL end with a line break. */
function explained(error: ConnectError, origin: string): Error {
  const { address, code = '', port } = error;
  const { host } = new URL(origin);
  const words: Readonly<Record<string, string>> = {
    ECONNREFUSED: `nothing listens at ${port === undefined ? (address ?? host) : host} (wrong port? service down?)`,
    ENOTFOUND: `there is no host ${host} (wrong baseUrl? no network?)`,
    ERR_SSL_WRONG_VERSION_NUMBER: `${host} speaks no TLS (http in place of https?)`,
  };
  const said = words[code] ? `${words[code]}: ${code}` : error.message.trimEnd();
  return said === error.message ? error : Object.assign(new Error(said, { cause: error }), { code });
}

/**
 * Sends requests through the proxies that the environment names (`HTTP_PROXY`, `HTTPS_PROXY`, `NO_PROXY`). Like Node's own
 * `fetch`, this needs `NODE_USE_ENV_PROXY=1`. Undefined if there is no proxy. Throws a ConfigError if a proxy is not a URL.
 *
 * @param connect How to connect to the service.
 */
export function environmentProxy(connect: buildConnector.BuildOptions): EnvHttpProxyAgent | undefined {
  if (process.env.NODE_USE_ENV_PROXY !== '1') return undefined;
  const httpProxy = proxyIn('HTTP_PROXY');
  const httpsProxy = proxyIn('HTTPS_PROXY');
  if (!httpProxy && !httpsProxy) return undefined;
  return new EnvHttpProxyAgent({
    httpProxy,
    httpsProxy,
    // For http, send the whole URL to the proxy, as Node and curl do: many proxies allow a tunnel only to port 443.
    proxyTunnel: false,
    connect,
    requestTls: connect,
  });
}

/** Reads a variable. The name in lower case goes first, as everywhere. */
function proxyIn(name: string): string {
  const { [name.toLowerCase()]: proxy = process.env[name] ?? '' } = process.env;
  if (proxy === '' || (/^https?:/i.test(proxy) && URL.canParse(proxy))) return proxy;
  const rule = `${name} must be a URL such as http://127.0.0.1:3128; it is not shown, because it may hold a password`;
  throw new ConfigError(name, rule);
}
