import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { Agent, request as send } from 'undici';
import { UuidSet } from '../../processes/uuid-set.ts';
import { LIFE_PARAMETER } from './page/page-settings.ts';

/** What happens to a request. A `lost` one does not reach the service; a `deaf` one does, but its answer does not come back. */
export type Treatment = 'passed' | 'refused' | 'lost' | 'deaf';

/** A request whose events the service took. */
export interface Taken {
  /** The page that sent it; undefined if the browser sent it for a page that is gone. */
  readonly life: number | undefined;
  readonly uuids: ReadonlySet<string>;
  readonly arrivedAt: number;
  /** When the answer was sent completely; undefined if the connection ended before that. */
  answeredAt: number | undefined;
}

const FORWARDED = ['authorization', 'content-type', 'content-encoding', 'origin'] as const;
const PREFLIGHT = ['access-control-request-method', 'access-control-request-headers'] as const;

/** A proxy in front of the emulator. Records which page sent what and when, and makes a working service appear to fail. */
export class WatchedService implements AsyncDisposable {
  readonly taken: Taken[] = [];
  /** The uuids of all events that arrived. */
  readonly seen: Set<string> = new Set();
  /** Decides what happens to a request with these events. */
  treat: (uuids: ReadonlySet<string>) => Treatment = () => 'passed';
  /** Whether each request needs a connection of its own. On one that was used before, a browser repeats a request by itself. */
  isFresh = false;
  /** How long an answer takes: about the time in a network. */
  latencyMs = 5;
  readonly #target: string;
  readonly #server: Server;
  readonly #agent = new Agent();
  #port = 0;

  /** @param target The emulator's address. */
  constructor(target: string) {
    this.#target = target;
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch(() => response.destroy());
    });
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Starts to listen, always at the same address. */
  async open(): Promise<void> {
    if (this.#server.listening) return;
    await once(this.#server.listen(this.#port, '127.0.0.1'), 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  /** Stops listening, and cuts off pending requests. */
  async close(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server.close(), 'close');
    this.#server.closeAllConnections();
    await closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
    await this.#agent.destroy();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '' } = request;
    const body = await buffer(request);
    if (this.isFresh) response.setHeader('connection', 'close');
    const found = new UuidSet();
    found.add(body);
    const treatment = method === 'POST' ? this.treat(found.seen) : 'passed';
    if (treatment === 'lost') return void response.destroy();
    if (treatment === 'refused') {
      response.writeHead(503, { 'access-control-allow-origin': '*' }).end();
      return;
    }
    const { pathname, searchParams } = new URL(url, this.#target);
    const arrivedAt = performance.now();
    const answer = await send(this.#target + pathname, {
      ...{ method: method as 'POST', body, dispatcher: this.#agent },
      headers: headersOf(request),
    });
    const text = await answer.body.text();
    if (method === 'POST' && answer.statusCode < 300) {
      const life = searchParams.get(LIFE_PARAMETER);
      this.#take(found.seen, life === null ? undefined : Number(life), arrivedAt, response);
    }
    await pause(this.latencyMs);
    // The connection was cut meanwhile: nobody would read the answer, although it would count as written.
    if (treatment === 'deaf' || request.socket.destroyed) return void response.destroy();
    const { 'content-length': _, 'transfer-encoding': __, connection: ___, ...headers } = answer.headers;
    response.writeHead(answer.statusCode, headers).end(text);
  }

  #take(
    uuids: ReadonlySet<string>,
    life: number | undefined,
    arrivedAt: number,
    response: ServerResponse,
  ): void {
    const taken: Taken = { life, uuids, arrivedAt, answeredAt: undefined };
    this.taken.push(taken);
    for (const uuid of uuids) this.seen.add(uuid);
    response.once('close', () => {
      if (response.writableFinished) taken.answeredAt = performance.now();
    });
  }
}

function headersOf({ headers }: IncomingMessage): Record<string, string> {
  const names = [...FORWARDED, ...PREFLIGHT];
  return Object.fromEntries(names.flatMap((name) => (headers[name] ? [[name, String(headers[name])]] : [])));
}
