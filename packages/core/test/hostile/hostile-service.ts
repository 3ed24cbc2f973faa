import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import type { HostileAddresses, Script, Seen } from './script.ts';

/** A certificate that nobody trusts, and its key. Made only for these tests. */
const SELF_SIGNED = readFileSync(new URL('self-signed.pem', import.meta.url));

const ALLOW_PAGES = [
  'access-control-allow-origin: *',
  'access-control-allow-headers: *, authorization',
  'access-control-max-age: 600',
].join('\r\n');

/** A service that does what the address of a request says, on the bare socket. */
export async function startHostileService(): Promise<HostileAddresses & { close(): Promise<void> }> {
  const connections: Socket[] = [];
  const requests: (Omit<Seen, 'connection' | 'isOpen'> & { script: Script; socket: Socket })[] = [];
  const seen = (id: string): Seen[] =>
    requests
      .filter(({ script }) => script.id === id)
      .map(({ script: _, socket, ...others }) => {
        return { ...others, connection: connections.indexOf(socket), isOpen: !socket.destroyed };
      });
  const listener: RequestListener = (request) => {
    const { method, url = '' } = request;
    const path = decodeURIComponent(url.slice(1));
    if (method === 'OPTIONS' || path === '') return plainly(request, '');
    if (method === 'GET') return plainly(request, JSON.stringify(seen(path)));
    const hasSlash = path.endsWith('/');
    const given: Script = JSON.parse(hasSlash ? path.slice(0, -1) : path);
    const says = (hasSlash ? given.saysBehindSlash : undefined) ?? given.says;
    const script = { ...given, says: says.replace('{path}', url.replace(/\/$/, '')) };
    const { headers, socket } = request;
    const entry = {
      script,
      socket,
      bytes: 0,
      isWhole: false,
      hasSlash,
      key: headers.authorization,
      cookie: headers.cookie,
    };
    requests.push(entry);
    if (!script.reads) return perform(script, socket);
    request.on('data', (chunk) => {
      entry.bytes += chunk.length;
    });
    request.on('end', () => {
      entry.isWhole = true;
      perform(script, socket);
    });
  };
  const options = { maxHeaderSize: 256 * 1024 };
  const web = createServer(options, listener);
  const tls = createTlsServer({ ...options, key: SELF_SIGNED, cert: SELF_SIGNED }, listener);
  const silent = createTcpServer();
  const closed = createTcpServer();
  for (const server of [web, tls, silent]) {
    server.on('connection', (socket: Socket) => {
      connections.push(socket);
      socket.on('error', () => undefined);
    });
  }
  const [origin, tlsOrigin, silentHost, closedHost] = await Promise.all([
    listen(web).then((host) => `http://${host}`),
    listen(tls).then((host) => `https://${host}`),
    listen(silent),
    listen(closed),
  ]);
  await close(closed);
  return {
    ...{ origin, tlsOrigin, silentHost, closedHost },
    async close() {
      for (const socket of connections) socket.destroy();
      await Promise.all([web, tls, silent].map(close));
    },
  };
}

function plainly({ socket }: IncomingMessage, body: string): void {
  socket.write(`HTTP/1.1 200 OK\r\n${ALLOW_PAGES}\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
}

function perform({ says, repeats, everyMs, ends }: Script, socket: Socket): void {
  socket.write(says, 'latin1', () => {
    if (repeats !== undefined) return repeat(repeats, everyMs, socket);
    setTimeout(() => {
      if (ends === 'half-closed') socket.end();
      if (ends === 'closed') socket.destroySoon();
      if (ends === 'reset') socket.resetAndDestroy();
    }, everyMs);
  });
}

/** Writes the text again and again, until a write fails. */
function repeat(text: string, everyMs: number, socket: Socket): void {
  socket.write(text, 'latin1', (error) => {
    if (!error) setTimeout(repeat, everyMs, text, everyMs, socket);
  });
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}
