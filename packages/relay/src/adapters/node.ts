import { tried } from '@sluice/protocol/toolbox';
import { type BodySource, type Incoming, Refusal, UNIX_SOCKET } from '../exchange.ts';
import type { Relay } from '../relay.ts';

/** What the relay needs of a request of node:http, or of a framework on it. A parser may have set its body. */
export interface NodeRequest {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly rawHeaders: readonly string[];
  readonly socket: {
    readonly remoteAddress?: string | undefined;
    readonly localAddress?: string | undefined;
    readonly destroyed?: boolean | undefined;
  };
  readonly complete: boolean;
  readonly readableEnded: boolean;
  readonly destroyed: boolean;
  readonly body?: unknown;
  on(event: string, listener: (...details: never[]) => void): unknown;
  pause(): unknown;
  removeAllListeners(event: string): unknown;
}

/** What the relay needs of a response of node:http. */
export interface NodeResponse {
  readonly headersSent: boolean;
  setHeader(name: string, value: string): unknown;
  writeHead(status: number, headers: Record<string, string>): { end(body: string): unknown };
}

/**
 * A handler for node:http, and a middleware for Express, Connect and the like. It takes each request that it gets, also where a
 * parser has read the body.
 */
export function toNodeHandler(relay: Relay): (request: NodeRequest, response: NodeResponse) => void {
  return (request, response) => void answerNode(relay, request, response);
}

/** @param isClosing Whether the connection is to be closed after the answer. */
export async function answerNode(
  relay: Relay,
  request: NodeRequest,
  response: NodeResponse,
  isClosing = () => false,
): Promise<void> {
  const answered = relay.answer(new NodeIncoming(request, parsedBody(request), request));
  const { status, headers, body } = await answered;
  // Somebody else has answered meanwhile, such as a middleware with a time-out.
  if (response.headersSent) return;
  if (isClosing()) response.setHeader('connection', 'close');
  response.writeHead(status, headers).end(body);
}

/** Undefined if nobody has read the body. */
export function parsedBody(request: NodeRequest): unknown {
  // Of a body that somebody has read and not kept, nothing is left.
  return request.readableEnded ? (request.body ?? null) : undefined;
}

/** Who is at the other end. Of a TCP connection that the client has reset, that is not known, but its own end still is. */
export function peerOf(socket: NodeRequest['socket']): string | undefined {
  if (socket.remoteAddress !== undefined) return socket.remoteAddress;
  return socket.localAddress === undefined && socket.destroyed === false ? UNIX_SOCKET : undefined;
}

/** A request of node:http, as the relay reads it. */
export class NodeIncoming implements Incoming {
  readonly parsed: unknown;
  readonly native: unknown;
  readonly #request: NodeRequest;

  constructor(request: NodeRequest, parsed: unknown, native: unknown) {
    this.#request = request;
    this.parsed = parsed;
    this.native = native;
  }

  get method(): string {
    return this.#request.method ?? '';
  }

  get host(): string | undefined {
    return this.header('host') ?? this.header(':authority');
  }

  get isSecure(): boolean {
    return 'encrypted' in this.#request.socket;
  }

  get peer(): string | undefined {
    return peerOf(this.#request.socket);
  }

  header(name: string): string | undefined {
    const value = this.#request.headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  }

  body(): BodySource {
    const request = this.#request;
    return {
      read(onChunk, onEnd) {
        // It tells nobody that it is closed a second time.
        if (request.destroyed) onEnd(new Error('the connection is closed'));
        request.on('data', onChunk);
        request.on('end', () => onEnd());
        request.on('error', onEnd);
        request.on('close', () =>
          onEnd(request.complete ? undefined : new Error('the connection was closed')),
        );
      },
      stop() {
        request.pause();
        request.removeAllListeners('data');
      },
    };
  }

  /** Without a body: the relay has read it. Throws a refusal if the client has asked for no URL, as with `POST //`. */
  request(): Request {
    const headers = new Headers();
    const { rawHeaders, url = '/' } = this.#request;
    // HTTP/2 has headers such as `:path`.
    for (let index = 0; index < rawHeaders.length; index += 2) {
      const name = rawHeaders[index] ?? '';
      if (!name.startsWith(':')) headers.append(name, rawHeaders[index + 1] ?? '');
    }
    const base = `${this.isSecure ? 'https' : 'http'}://${this.host}`;
    const request = tried(() => new Request(new URL(url, base), { method: this.method, headers }));
    if (request === undefined) throw new Refusal('malformed');
    return request;
  }
}
