import type { IncomingMessage } from 'node:http';
import { gunzipSync } from 'node:zlib';
import type { RequestContent } from '../admin/contract.ts';
import type { Answer } from '../http/answers.ts';

const MOST_KEPT = 200;
const MOST_BYTES = 64 * 1024;
const SECRETS: readonly string[] = ['authorization', 'cookie', 'proxy-authorization'];

/** What a request and its answer contain, while and after they pass. Keeps the first 64 KiB of the body. */
export class ExchangeContent {
  /** The answer as sent; undefined if there is none. */
  answer: Answer | undefined;
  readonly #request: IncomingMessage;
  readonly #url: string;
  readonly #chunks: Buffer[] = [];
  #kept = 0;
  #size = 0;

  constructor(request: IncomingMessage) {
    this.#request = request;
    const { localAddress = '', localPort, localFamily } = request.socket;
    const host = localFamily === 'IPv6' ? `[${localAddress}]` : localAddress;
    const path = request.url?.startsWith('/') ? request.url : '/';
    this.#url = `http://${host}:${localPort}${path}`;
  }

  /** Size of the body in bytes: as received, or if it was not read, as announced. Null if it was not announced either. */
  get size(): number | null {
    const { readableDidRead, headers } = this.#request;
    if (readableDidRead) return this.#size;
    if (headers['content-length'] !== undefined) return Number(headers['content-length']);
    return headers['transfer-encoding'] === undefined ? 0 : null;
  }

  /** Adds a part of the body that has arrived. */
  came(chunk: Buffer): void {
    this.#size += chunk.length;
    const part = chunk.subarray(0, MOST_BYTES - this.#kept);
    if (part.length > 0) this.#chunks.push(Buffer.from(part)); // a copy: the chunk may be a part of more memory
    this.#kept += part.length;
  }

  /** If nobody has read the body, reads it now. So the content of a request that was refused early is known, too. */
  readRest(): void {
    if (!this.#request.readableDidRead) this.#request.on('data', (chunk: Buffer) => this.came(chunk));
  }

  /** As pages show it: secrets are masked, and a gzipped body is unpacked. */
  shown(): RequestContent {
    const { rawHeaders } = this.#request;
    const headers = rawHeaders.flatMap((name, at) =>
      at % 2 === 0 ? [[name, masked(name, rawHeaders[at + 1] ?? '')] as const] : [],
    );
    const { answer } = this;
    const body = Buffer.concat(this.#chunks);
    return {
      headers,
      ...cut(this.#request.headers['content-encoding'] === 'gzip' ? unpacked(body) : body, this.#isCut),
      answer: answer && {
        headers: Object.entries(answer.headers),
        ...cut(Buffer.from(answer.body ?? ''), false),
      },
    };
  }

  /** The same request, to send it again; undefined if a part of its body was not kept. */
  get repeatable(): Sendable | undefined {
    if (this.#isCut || !this.#request.complete) return undefined;
    const { method = 'POST', headers } = this.#request;
    return { url: this.#url, method, headers, body: Buffer.concat(this.#chunks) };
  }

  get #isCut(): boolean {
    return this.#size > this.#kept;
  }
}

/** A request that can be sent. */
export interface Sendable {
  readonly url: string;
  readonly method: string;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: Buffer;
}

/** Keeps the content of the last 200 refused requests and of the last 200 others, in memory. */
export class RequestContents {
  readonly #refused = new Map<number, ExchangeContent>();
  readonly #others = new Map<number, ExchangeContent>();

  add(id: number, content: ExchangeContent, isRefused: boolean): void {
    const kept = isRefused ? this.#refused : this.#others;
    kept.set(id, content);
    const [oldest] = kept.keys();
    if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest);
  }

  get(id: number): ExchangeContent | undefined {
    return this.#refused.get(id) ?? this.#others.get(id);
  }

  clear(): void {
    this.#refused.clear();
    this.#others.clear();
  }
}

function masked(name: string, value: string): string {
  if (!SECRETS.includes(name.toLowerCase())) return value;
  return value.replace(/\S+$/, (secret) => `••••${secret.length < 12 ? '' : secret.slice(-4)}`);
}

function cut(bytes: Buffer, isCut: boolean): { readonly body: string; readonly isCut: boolean } {
  return { body: bytes.toString('utf8', 0, MOST_BYTES), isCut: isCut || bytes.length > MOST_BYTES };
}

function unpacked(bytes: Buffer): Buffer {
  try {
    return gunzipSync(bytes, { maxOutputLength: 32 * MOST_BYTES });
  } catch {
    return bytes; // it is not gzip, or only a part of it was kept
  }
}
