import type { IncomingMessage } from 'node:http';
import { constants, createGunzip } from 'node:zlib';
import type { RequestContent } from '../admin/contract.ts';
import type { Behaviour } from '../behaviour/behaviour.ts';
import type { RefusalBody } from '../events/refusal.ts';
import type { Sendable } from '../events/sent-request.ts';
import type { ReceivedEvent } from '../events/tracked-events.ts';
import type { Injection } from '../faults/injection.ts';
import type { Account } from '../running/account.ts';
import type { BatchOutcome } from '../storage/event-store.ts';
import type { KeptRequest, RecentRequest } from '../storage/request-store.ts';
import { type Answer, hasBody, respond } from './answers.ts';

const MOST_BYTES = 64 * 1024;

/** One request to the interface, from its arrival until it is stored. Keeps the first 64 KiB of its body, and of its answer. */
export class Exchange implements RecentRequest {
  readonly account: Account;
  /** The behaviour that serves it, even if the settings change meanwhile. */
  readonly behaviour: Behaviour;
  keyId: number | null = null;
  /** Number of its events; null until they were counted. */
  events: number | null = null;
  /** Why it was refused, or why events of it were left out. */
  error: RefusalBody['error'] | null = null;
  /** What the faults do to it. */
  injection: Injection | undefined;
  /** Whether the connection is cut instead of an answer. */
  isCut = false;
  readonly #path: string;
  readonly #request: IncomingMessage | undefined;
  readonly #url: string;
  readonly #receivedAt = new Date().toISOString();
  readonly #startedAt = performance.now();
  readonly #chunks: Buffer[] = [];
  #size = 0;
  #answer: { readonly headers: Answer['headers']; readonly body: Buffer } | undefined;
  #id: number | undefined;

  /** Without a path and a request, it was not a valid HTTP request. */
  constructor(account: Account, behaviour: Behaviour, path = '?', request?: IncomingMessage) {
    this.account = account;
    this.behaviour = behaviour;
    this.#path = path;
    this.#request = request;
    const { localAddress = '', localPort, localFamily } = request?.socket ?? {};
    const host = localFamily === 'IPv6' ? `[${localAddress}]` : localAddress;
    this.#url = `http://${host}:${localPort}${request?.url?.startsWith('/') ? request.url : '/'}`;
  }

  /** Takes a part of its body that has arrived. */
  came(chunk: Buffer): void {
    const part = chunk.subarray(0, Math.max(0, MOST_BYTES - this.#size));
    if (part.length > 0) this.#chunks.push(Buffer.from(part)); // a copy: the chunk may be a part of more memory
    this.#size += chunk.length;
  }

  /** Answers, and keeps what was answered. */
  respond(answer: Answer): Response {
    // A copy of its start: a part of a text holds all of it.
    const body = Buffer.from((answer.body ?? '').slice(0, MOST_BYTES + 1));
    this.#answer = { headers: answer.headers, body };
    return respond(answer);
  }

  /** Stores its events and the request itself. `answer` is the answer that will follow, but for its counts. */
  async ingest(batch: readonly ReceivedEvent[], answer: Answer): Promise<BatchOutcome> {
    // An answer without a body has no middle: a reset there comes before the answer.
    const isReset = this.injection?.ending?.kind === 'reset' && !hasBody(answer);
    const status = isReset ? null : answer.status;
    const outcome = await this.account.ingest(batch, (stored) => this.#toKept(status, stored));
    this.#id = outcome.requestId;
    return outcome;
  }

  /** Stores the request, unless that is already done, and its content. `status` is the status of its answer. */
  end(status: number): void {
    const incoming = this.#request;
    this.#id ??= this.account.keepRequest(this.#toKept(status));
    if (incoming === undefined || this.#id === undefined) return;
    if (this.isCut) this.#answer = undefined;
    this.account.requests.keep(this.#id, this, this.error !== null);
    // If nobody has read the body, it is read now. So the content of a request that was refused early is known, too.
    if (!incoming.readableDidRead) incoming.on('data', (chunk: Buffer) => this.came(chunk));
  }

  async content(): Promise<RequestContent> {
    const { rawHeaders = [], headers } = this.#request ?? {};
    const body = Buffer.concat(this.#chunks);
    const isGzipped = headers?.['content-encoding']?.toLowerCase() === 'gzip';
    const answer = this.#answer;
    const keys = this.account.apiKeys.list().map(({ key }) => key);
    return {
      headers: rawHeaders.flatMap((name, at) =>
        at % 2 === 0 ? [[name, masked(name, rawHeaders[at + 1] ?? '', keys)] as const] : [],
      ),
      ...cut(isGzipped ? await unpacked(body) : body, this.#size > MOST_BYTES),
      answer: answer && {
        headers: Object.entries(answer.headers),
        ...cut(answer.body, false),
      },
    };
  }

  get repeatable(): Sendable | undefined {
    const incoming = this.#request;
    if (!incoming?.readableEnded || this.#size > MOST_BYTES) return undefined;
    const { method = 'POST', headers } = incoming;
    return { url: this.#url, method, headers, body: Buffer.concat(this.#chunks) };
  }

  #toKept(status: number | null, outcome?: BatchOutcome): KeptRequest {
    const { method = '?', headers } = this.#request ?? {};
    // A batch has an outcome. A customer is read unless there is an error, or a fault answers.
    const isRead = this.error === null && this.injection?.isServed === true;
    const isTaken = outcome ? outcome.accepted > 0 : isRead;
    return {
      ...{ method, path: this.#path, userAgent: headers?.['user-agent'] ?? null },
      receivedAt: this.#receivedAt,
      status: this.isCut ? null : status,
      durationMs: performance.now() - this.#startedAt,
      bytes: this.#bytes,
      events: this.events,
      repeated: outcome?.repeated ?? null,
      firstEvent: outcome?.firstEvent ?? null,
      keyId: this.keyId,
      error: this.error,
      isTaken: isTaken && status !== null && !this.isCut,
      fault: this.injection?.words.join('; ') || null,
    };
  }

  /** Size of the body: as received, or if it was not read, as announced. Null if it was not announced either. */
  get #bytes(): number | null {
    if (this.#request === undefined) return null;
    const { readableDidRead, headers } = this.#request;
    if (readableDidRead) return this.#size;
    if (headers['content-length'] !== undefined) return Number(headers['content-length']);
    return headers['transfer-encoding'] === undefined ? 0 : null;
  }
}

function masked(name: string, value: string, keys: readonly string[]): string {
  switch (name.toLowerCase()) {
    case 'authorization':
    case 'proxy-authorization': // without a scheme, all of it is the secret
      return value.replace(/(?<=^\S+\s+)\S.*|^\S+$/, hidden);
    case 'cookie': // a value may have a =, or no name before it
      return value.replace(/[^;\s][^;]*/g, (cookie) => cookie.replace(/(?<=^[^=]*=).+|^[^=]+$/, hidden));
    default: // a client may send its key in a wrong header
      return keys.reduce((shown, key) => shown.replaceAll(key, hidden), value);
  }
}

function hidden(secret: string): string {
  return `••••${secret.length < 12 ? '' : secret.slice(-4)}`;
}

function cut(bytes: Buffer, isCut: boolean): { readonly body: string; readonly isCut: boolean } {
  return { body: bytes.toString('utf8', 0, MOST_BYTES), isCut: isCut || bytes.length > MOST_BYTES };
}

/** Unpacks the beginning of a gzipped body, of which only a part may have been kept. */
async function unpacked(bytes: Buffer): Promise<Buffer> {
  const gunzip = createGunzip({ finishFlush: constants.Z_SYNC_FLUSH });
  gunzip.end(bytes);
  let body = Buffer.alloc(0);
  try {
    for await (const part of gunzip) {
      body = Buffer.concat([body, part]);
      if (body.length > MOST_BYTES) break; // a small body may unpack to an enormous one
    }
    return body;
  } catch {
    return bytes; // it is not gzip
  }
}
