import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How the service treats a request, in place of its normal answer. */
export type Reply =
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly body?: string;
      /** Makes the header's value at the time of the answer, by the clock of the service. */
      readonly retryAfter?: (now: number) => string;
      /** How far the clock of the service is ahead. */
      readonly aheadMs?: number;
      /** How the body ends: its connection breaks, or it never ends. */
      readonly end?: 'cut short' | 'never';
      /** Whether the service takes the events. Default: true for a status below 300. */
      readonly takes?: boolean;
    }
  /** Resets the connection before or after it has read the body. */
  | { readonly kind: 'reset'; readonly when: 'before the body' | 'after the body'; readonly takes?: true }
  /** Never answers. */
  | { readonly kind: 'hang'; readonly takes?: true };

/** A request as it was received. */
interface Received {
  readonly at: number;
  readonly body: string;
}

/** Decides by the number of a request, from 0, and its body. Undefined: the normal answer. */
export type Script = (request: number, body: string) => Reply | undefined;

const UUID = /"uuid":"([^"]+)"/g;
const ENDLESS = Buffer.alloc(16 * 1024, 'x');
const TARGET = '/elsewhere';

/** A real HTTP server that answers by a script, and counts the events that it took by uuid. */
export class ScriptedService implements AsyncDisposable {
  readonly #script: Script;
  readonly #now: () => number;
  readonly #server: Server;
  #port = 0;
  readonly requests: Received[] = [];
  /** How often each event was taken. */
  readonly taken: Map<string, number> = new Map();
  /** Requests that followed a redirect. */
  followed = 0;

  private constructor(script: Script, now: () => number) {
    this.#script = script;
    this.#now = now;
    // On a busy machine it would close an idle connection just as a request comes, which nobody asked for.
    this.#server = createServer({ keepAliveTimeout: 0 }, (request, response) =>
      this.#receive(request, response),
    );
  }

  static async start(script: Script, now: () => number): Promise<ScriptedService> {
    const service = new ScriptedService(script, now);
    await service.comeBack();
    return service;
  }

  get port(): number {
    return this.#port;
  }

  /** How many times an event was taken again, in total. */
  get repeated(): number {
    return [...this.taken.values()].reduce((sum, count) => sum + count - 1, 0);
  }

  /** Refuses connections from now on. */
  async leave(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  async comeBack(): Promise<void> {
    await once(this.#server.listen(this.#port, '127.0.0.1'), 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.leave();
  }

  #receive(request: IncomingMessage, response: ServerResponse): void {
    if (request.url === TARGET) this.followed += 1;
    const early = this.#script(this.requests.length, '');
    if (early?.kind === 'reset' && early.when === 'before the body') {
      this.requests.push({ at: this.#now(), body: '' });
      request.socket.resetAndDestroy();
      return;
    }
    const chunks: Buffer[] = [];
    request.on('error', () => {});
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => this.#reply(Buffer.concat(chunks).toString(), response));
  }

  #reply(body: string, response: ServerResponse): void {
    const reply = this.#script(this.requests.length, body) ?? { kind: 'status', status: 200, body: '{}' };
    this.requests.push({ at: this.#now(), body });
    const isTaken = reply.takes ?? (reply.kind === 'status' && reply.status < 300);
    if (isTaken) this.#take(body);
    if (reply.kind === 'reset') response.socket?.resetAndDestroy();
    if (reply.kind === 'status') answer(reply, response, this.#now());
  }

  #take(body: string): void {
    for (const [, uuid = ''] of body.matchAll(UUID)) this.taken.set(uuid, (this.taken.get(uuid) ?? 0) + 1);
  }
}

function answer(reply: Extract<Reply, { kind: 'status' }>, response: ServerResponse, now: number): void {
  const { status, body = '', retryAfter, aheadMs = 0, end } = reply;
  response.statusCode = status;
  response.setHeader('date', new Date(now + aheadMs).toUTCString());
  if (status >= 300 && status < 400) response.setHeader('location', TARGET);
  if (retryAfter) response.setHeader('retry-after', retryAfter(now + aheadMs));
  if (end === 'cut short') {
    response.setHeader('content-length', body.length + 1);
    response.write(body, () => response.socket?.resetAndDestroy());
  } else if (end === 'never') {
    const more = () => void response.write(ENDLESS);
    response.on('drain', more).on('error', () => {});
    more();
  } else {
    response.end(body);
  }
}
