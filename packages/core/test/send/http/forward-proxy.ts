import { createServer, request as forward, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { SERVICE } from './echo-service.ts';

export interface ForwardProxyOptions {
  /** Whether clients speak TLS to the proxy. */
  readonly tls?: boolean;
  /** Default: any that is free. */
  readonly port?: number;
  /** `user:password`, if the proxy wants one. */
  readonly login?: string;
  /** Called before the proxy connects to a target. */
  readonly beforeConnect?: () => Promise<void>;
}

export interface ForwardProxy {
  readonly url: string;
  /** The requests so far: method and target. */
  readonly seen: string[];
  close(): Promise<void>;
}

/** A forward proxy, as companies have them: it makes tunnels (CONNECT), and forwards requests for a whole URL. */
export async function startForwardProxy(options: ForwardProxyOptions = {}): Promise<ForwardProxy> {
  const { tls = false, port: wanted = 0, login, beforeConnect = async () => {} } = options;
  const seen: string[] = [];
  const sockets: Socket[] = [];
  const admits = ({ method, url, headers }: IncomingMessage) => {
    seen.push(`${method} ${url}`);
    const given = headers['proxy-authorization'];
    return login === undefined || given === `Basic ${Buffer.from(login).toString('base64')}`;
  };
  const relay = (request: IncomingMessage, response: ServerResponse) => {
    if (!admits(request)) return void response.writeHead(407).end('who are you?');
    const { url = '', method, headers } = request;
    if (!url.startsWith('http://')) return void response.writeHead(400).end('no whole URL');
    const { 'proxy-authorization': _, ...others } = headers;
    const onward = forward(url, { method, headers: others }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.writeHead(502).end());
    request.pipe(onward);
  };
  const tunnel = async (request: IncomingMessage, socket: Socket, head: Buffer) => {
    if (!admits(request)) return void socket.end('HTTP/1.1 407 Who Are You\r\n\r\n');
    const { hostname, port } = new URL(`http://${request.url}`);
    await beforeConnect();
    const target = connect(Number(port || 80), hostname, () => {
      socket.write('HTTP/1.1 200 Connected\r\n\r\n');
      target.write(head);
      socket.pipe(target).pipe(socket);
    });
    sockets.push(target);
    target.on('error', () => socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n'));
    socket.on('error', () => target.destroy());
  };
  const server = tls ? createTlsServer({ key: SERVICE, cert: SERVICE }, relay) : createServer(relay);
  server.on('connect', tunnel);
  server.on('connection', (socket: Socket) => sockets.push(socket.on('error', () => {})));
  await new Promise<void>((resolve) => server.listen(wanted, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    seen,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
