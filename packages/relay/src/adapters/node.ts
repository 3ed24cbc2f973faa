import type { IncomingMessage, ServerResponse } from 'node:http';
import type { BodySource, Incoming } from '../exchange.ts';
import type { Relay } from '../relay.ts';

/** A request of node:http, as frameworks on it pass it on: a parser may have set its body. */
type NodeRequest = IncomingMessage & { readonly body?: unknown };

/**
 * A handler for node:http, and a middleware for Express, Connect and the like. It takes each request that it gets, also where a
 * parser has read the body.
 */
export function toNodeHandler(relay: Relay): (request: NodeRequest, response: ServerResponse) => void {
  return (request, response) => {
    void relay
      .answer(new NodeIncoming(request, parsedBody(request), request))
      .then(({ status, headers, body }) => {
        // Given at once with the head, so that the body needs no chunks.
        response.writeHead(status, {
          ...headers,
          ...(body !== '' && { 'content-length': Buffer.byteLength(body) }),
        });
        response.end(body);
      });
  };
}

/** Undefined if nobody has read the body. */
function parsedBody(request: NodeRequest): unknown {
  // Of a body that somebody has read and not kept, nothing is left.
  return request.readableEnded ? (request.body ?? null) : undefined;
}

/** A request of node:http, as the relay reads it. */
export class NodeIncoming implements Incoming {
  readonly parsed: unknown;
  readonly native: unknown;
  readonly #request: IncomingMessage;

  constructor(request: IncomingMessage, parsed: unknown, native: unknown) {
    this.#request = request;
    this.parsed = parsed;
    this.native = native;
  }

  get method(): string {
    return this.#request.method ?? '';
  }

  get host(): string | undefined {
    return this.#request.headers.host ?? this.header(':authority');
  }

  get isSecure(): boolean {
    return 'encrypted' in this.#request.socket;
  }

  get peer(): string | undefined {
    return this.#request.socket.remoteAddress;
  }

  header(name: string): string | undefined {
    const value = this.#request.headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  }

  body(): BodySource {
    const request = this.#request;
    return {
      read(onChunk, onEnd) {
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

  /** Without a body: the relay has read it. */
  request(): Request {
    const headers = new Headers();
    const { rawHeaders, url = '/' } = this.#request;
    for (let index = 0; index < rawHeaders.length; index += 2) {
      headers.append(rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '');
    }
    const base = `${this.isSecure ? 'https' : 'http'}://${this.host}`;
    return new Request(new URL(url, base), { method: this.method, headers });
  }
}
