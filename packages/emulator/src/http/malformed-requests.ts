import { type RequestListener, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { getRequestListener } from '@hono/node-server';
import type { BehaviourSwitch } from '../behaviour/behaviour-switch.ts';
import { Refusal } from '../events/refusal.ts';
import { messageOf } from '../messages.ts';
import type { Account } from '../running/account.ts';
import type { Application } from '../running/application.ts';
import { type Answer, refusalAnswer, respond } from './answers.ts';
import { Exchange } from './exchange.ts';

/** First byte of a TLS connection. */
const TLS_HANDSHAKE = 0x16;

/** Refuses what is not a valid HTTP request, and stores it among the requests. There it explains why no event arrives. */
export class MalformedRequests {
  readonly #account: Account;
  readonly #behaviour: BehaviourSwitch;

  constructor(account: Account, behaviour: BehaviourSwitch) {
    this.#account = account;
    this.#behaviour = behaviour;
  }

  /** Creates the answer to a request that is invalid for `reason`, and stores the request. */
  refuse(reason: string): Answer {
    const refusal = new Refusal('malformed_request', `The request cannot be understood: ${reason}`, {
      headers: { 'access-control-allow-origin': '*' },
    });
    const { current } = this.#behaviour;
    const exchange = new Exchange(this.#account, current);
    exchange.error = refusal.body.error;
    const answer = refusalAnswer(refusal, current);
    exchange.end(answer.status);
    return answer;
  }

  /** Ends a connection on which Node's server found no valid request. */
  end(error: Error, socket: Duplex): void {
    const code: unknown = Reflect.get(error, 'code');
    // The client cut the connection, maybe during a request. Such a request is served and stored like any other.
    const isCut = code === 'ECONNRESET' || code === 'HPE_INVALID_EOF_STATE';
    if (isCut || !socket.writable) return void socket.destroy();
    this.#answer(reasonOf(error), socket);
  }

  /** Ends a connection whose client uses the emulator as a proxy. */
  endTunnel(socket: Duplex): void {
    // Node's server no longer handles this socket, but its close() would wait for the socket to end.
    socket.on('error', () => {}).on('finish', () => socket.destroy());
    this.#answer('CONNECT asks for a proxy, and this is none.', socket);
  }

  #answer(reason: string, socket: Duplex): void {
    const { status, headers, body } = this.refuse(reason);
    const bytes = Buffer.from(body ?? '');
    const all = { ...headers, 'content-length': bytes.length, connection: 'close' };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.end(
      Buffer.concat([
        Buffer.from(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n`),
        bytes,
      ]),
    );
  }
}

function reasonOf(error: Error): string {
  const packet: unknown = Reflect.get(error, 'rawPacket');
  const isTls = Buffer.isBuffer(packet) && packet[0] === TLS_HANDSHAKE;
  return isTls ? 'it seems to be TLS. The addresses begin with http://, not https://.' : error.message;
}

/** Connects an application to a Node server. */
export function createRequestListener(
  application: Application,
  malformed: MalformedRequests,
): RequestListener {
  const listener = getRequestListener(application.fetch, {
    // The emulator often runs inside a test process. It must not replace that process's global Request and Response.
    overrideGlobalObjects: false,
    // Called only for requests that cannot even be passed to the application.
    errorHandler: (error) => {
      return respond(malformed.refuse(`its path and Host header make no address (${messageOf(error)}).`));
    },
  });
  return (request, response) => void listener(request, response);
}
