import { readFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import {
  createSecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Stream,
} from 'node:http2';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Server, Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';

const certificate = (name: string): string =>
  readFileSync(new URL(`certificates/${name}.pem`, import.meta.url), 'utf8');

/** Made by `certificates/make.sh`. The authority vouches for the service (127.0.0.1 and service.test), and for the client. */
export const AUTHORITY: string = certificate('ca');
export const SERVICE: string = certificate('service');
export const CLIENT: string = certificate('client');

/** A request, as the service saw it. */
interface Seen {
  readonly url: string;
  readonly version: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Whose certificate the client showed, if any. */
  readonly client: unknown;
}

export interface EchoServiceOptions {
  /** `h2` also speaks HTTP/1.1. `mtls` wants a certificate of the client. */
  readonly speaks?: 'http' | 'tls' | 'mtls' | 'h2';
  /** Listens at this Unix socket, not at a port. */
  readonly path?: string;
  /** HTTP/2: what it does with requests below `/misbehave`. */
  readonly misbehave?: (stream: ServerHttp2Stream) => void;
}

export interface EchoService {
  readonly origin: string;
  readonly port: number;
  /** All requests so far. */
  readonly seen: Seen[];
  /** Number of connections so far. */
  readonly connections: () => number;
  close(): Promise<void>;
}

/** A service that accepts everything, and remembers it. */
export async function startEchoService(options: EchoServiceOptions): Promise<EchoService> {
  const { speaks = 'http', path, misbehave } = options;
  const seen: Seen[] = [];
  const sockets: Socket[] = [];
  const listener = (request: Http2ServerRequest, response: Http2ServerResponse) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { headers, httpVersion: version, socket, url = '' } = request;
      if (misbehave && url.startsWith('/misbehave')) return misbehave(response.stream);
      const client = speaks === 'mtls' ? (socket as TLSSocket).getPeerCertificate().subject?.CN : undefined;
      seen.push({ url, version, headers, body: Buffer.concat(chunks).toString(), client });
      response.end('{}');
    });
  };
  const server = createAs(speaks, listener);
  const address = path === undefined ? { host: '127.0.0.1', port: 0 } : { path };
  server.on('connection', (socket: Socket) => sockets.push(socket.on('error', () => {})));
  await new Promise<void>((resolve) => server.listen(address, resolve));
  const { port } = path === undefined ? (server.address() as AddressInfo) : { port: 80 };
  return {
    origin: `${speaks === 'http' ? 'http' : 'https'}://127.0.0.1:${port}`,
    ...{ port, seen, connections: () => sockets.length },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

type Listener = (request: Http2ServerRequest, response: Http2ServerResponse) => void;

function createAs(speaks: 'http' | 'tls' | 'mtls' | 'h2', listener: Listener): Server {
  const own = { key: SERVICE, cert: SERVICE };
  if (speaks === 'h2') return createSecureServer({ ...own, allowHTTP1: true }, listener);
  // The objects of HTTP/1.1 and of HTTP/2 agree in what is used here.
  const plainly = listener as never;
  if (speaks === 'http') return createServer(plainly);
  return createTlsServer({ ...own, ...(speaks === 'mtls' && { requestCert: true, ca: AUTHORITY }) }, plainly);
}
