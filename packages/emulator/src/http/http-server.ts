import { createServer, type RequestListener, type Server, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { getRequestListener } from '@hono/node-server';
import type { BehaviourSwitch } from '../behaviour/behaviour-switch.ts';
import { Refusal, type RefusalCode } from '../events/refusal.ts';
import { messageOf } from '../messages.ts';
import type { Account } from '../running/account.ts';
import type { Application } from '../running/application.ts';
import { type Answer, refusalAnswer, respond } from './answers.ts';
import { Exchange } from './exchange.ts';

// Longer than clients keep an idle connection. So the client closes it first, and never sends into a closing connection.
const KEEP_ALIVE_MS = 65_000;
/** First byte of a TLS connection. */
const TLS_HANDSHAKE = 0x16;

/**
 * Creates a server for an application. What is not a valid HTTP request is refused, and stored among the requests. There it
 * explains why no event arrives.
 */
export function createHttpServer(
  application: Application,
  account: Account,
  behaviour: BehaviourSwitch,
): Server {
  /** Creates the answer to a request that is invalid for `reason`, and stores the request. */
  const refuse = (reason: string, code: RefusalCode = 'malformed_request'): Answer => {
    const refusal = new Refusal(code, `The request cannot be understood: ${reason}`, {
      headers: { 'access-control-allow-origin': '*' },
    });
    const exchange = new Exchange(account, behaviour.current);
    exchange.error = refusal.body.error;
    const answer = refusalAnswer(refusal, behaviour.current);
    exchange.end(answer.status);
    return answer;
  };
  const listener = getRequestListener(application.fetch, {
    // The emulator often runs inside a test process. It must not replace that process's global Request and Response.
    overrideGlobalObjects: false,
    // Called only for requests that cannot even be passed to the application.
    errorHandler: (error) =>
      respond(refuse(`its path and Host header make no address (${messageOf(error)}).`)),
  });
  const handle: RequestListener = (request, response) => void listener(request, response);
  // The handler refuses a request without a Host header, because Node's own answer would have no explanation.
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS, requireHostHeader: false }, handle);
  // Serve a request with an unknown Expect header, too. Otherwise Node would refuse it, and it would not be stored.
  server.on('checkExpectation', handle);
  server.on('connect', (_, socket) => {
    // Node's server no longer handles this socket, but its close() would wait for the socket to end.
    socket.on('error', () => {}).on('finish', () => socket.destroy());
    write(refuse('CONNECT asks for a proxy, and this is none.'), socket);
  });
  server.on('clientError', (error, socket) => {
    const code: unknown = Reflect.get(error, 'code');
    // The client cut the connection, maybe during a request. Such a request is served and stored like any other.
    const isCut = code === 'ECONNRESET' || code === 'HPE_INVALID_EOF_STATE';
    const isTimeout = code === 'ERR_HTTP_REQUEST_TIMEOUT';
    // Browsers open connections in advance. If one of them is not used, that is no request.
    if (isCut || !socket.writable || (isTimeout && Reflect.get(socket, 'bytesRead') === 0)) {
      socket.destroy();
      return;
    }
    if (isTimeout) {
      write(refuse('it did not arrive completely in time.', 'request_timeout'), socket);
      return;
    }
    const packet: unknown = Reflect.get(error, 'rawPacket');
    const isTls = Buffer.isBuffer(packet) && packet[0] === TLS_HANDSHAKE;
    const tls = 'it seems to be TLS. The addresses begin with http://, not https://.';
    write(refuse(isTls ? tls : error.message), socket);
  });
  return server;
}

/** Writes an answer to a connection for which Node has made no response. */
function write({ status, headers, body }: Answer, socket: Duplex): void {
  const bytes = Buffer.from(body ?? '');
  const all = { ...headers, 'content-length': bytes.length, connection: 'close' };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n`;
  socket.end(Buffer.concat([Buffer.from(head), bytes]));
}
