/** The peer of a Unix socket, which has no address. */
export const UNIX_SOCKET = 'unix';

/** Where the bytes of a body come from. */
export interface BodySource {
  /** Begins to read. Calls `onChunk` for each chunk, then `onEnd` once, with an error if the body broke off. */
  read(onChunk: (chunk: Uint8Array) => void, onEnd: (error?: unknown) => void): void;
  /** Reads no more. */
  stop(): void;
}

/**
 * A request as the relay reads it. Made from a web `Request`, or straight from that of a node:http server: there, to make a
 * `Request` first would take longer than all the rest.
 */
export interface Incoming {
  readonly method: string;
  /** The header `Host`, and whether the relay itself ended TLS. */
  readonly host: string | undefined;
  readonly isSecure: boolean;
  /** The address of the other end of the connection, or `UNIX_SOCKET`; undefined if it is not known. */
  readonly peer: string | undefined;
  /** The body as a framework has read or parsed it; undefined if nobody has read it. */
  readonly parsed: unknown;
  /** @param name In lower case. */
  header(name: string): string | undefined;
  body(): BodySource;
  /** For `identify()`. Throws a refusal if its address is none. */
  request(): Request;
  /** The request of the framework, for `identify()`. */
  readonly native: unknown;
}

/** An answer of the relay. */
export interface Answer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** The words of PROTOCOL.md, with their statuses. */
const STATUSES = {
  malformed: 400,
  ticket_expired: 401,
  ticket_invalid: 401,
  no_customer: 401,
  wrong_origin: 403,
  wrong_method: 405,
  too_slow: 408,
  too_large: 413,
  wrong_type: 415,
  too_many: 429,
  busy: 503,
  not_durable: 503,
  closing: 503,
} as const;

/** Why a request is refused. */
export type RefusalWord = keyof typeof STATUSES;

/** Thrown where a request is refused. */
export class Refusal extends Error {
  readonly word: RefusalWord;
  readonly status: number;
  readonly retryAfterMs: number | undefined;
  readonly fields: object | undefined;

  /** @param fields Further fields of the answer. */
  constructor(word: RefusalWord, retryAfterMs?: number, fields?: object) {
    super(word);
    this.word = word;
    this.status = STATUSES[word];
    this.retryAfterMs = retryAfterMs ?? (this.status === 503 ? 1_000 : undefined);
    this.fields = fields;
  }
}

/** @param more Further headers. */
export function answer(status: number, body: object, more: Answer['headers'] | undefined): Answer {
  const text = JSON.stringify(body);
  const headers = {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(text)),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  };
  return { status, headers: more ? { ...headers, ...more } : headers, body: text };
}

export function refuse(refusal: Refusal, cors: Answer['headers'] | undefined): Answer {
  const { word, status, retryAfterMs, fields } = refusal;
  const more: Record<string, string> = { ...cors };
  if (retryAfterMs !== undefined) more['retry-after'] = String(Math.ceil(retryAfterMs / 1_000));
  if (word === 'wrong_method') more.allow = 'POST';
  // What is left of the body is not read.
  if (word === 'too_large' || word === 'busy') more.connection = 'close';
  return answer(status, { error: word, ...fields }, more);
}
