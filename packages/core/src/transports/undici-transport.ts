import { setMaxListeners } from 'node:events';
import { Agent, type Dispatcher } from 'undici';
import { MAX_ANSWER_BYTES, type Outcome, type Transport, type TransportRequest } from '../transport.ts';

/** Failures before any byte of the request left: the service cannot have the body. */
const NOT_SENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Posts over kept-alive connections with undici. Node's own redirects, retries and decompression stay out of it. */
export class UndiciTransport implements Transport {
  readonly #agent: Agent;

  /** @param connections How many connections to hold to the service at the most. */
  constructor(connections: number) {
    this.#agent = new Agent({ connections, pipelining: 1 });
  }

  async post({ url, headers, body, timeouts, signal }: TransportRequest): Promise<Outcome> {
    // Every request under way listens to it: ten are no leak.
    setMaxListeners(0, signal);
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(timeouts.totalMs)]);
    try {
      const { origin, pathname, search } = new URL(url);
      const answer = await this.#agent.request({
        origin,
        path: pathname + search,
        method: 'POST',
        headers,
        body,
        signal: deadline,
        headersTimeout: timeouts.headersMs,
        bodyTimeout: timeouts.bodyMs,
      });
      const retryAfter = answer.headers['retry-after'];
      return {
        kind: 'answered',
        status: answer.statusCode,
        retryAfter: typeof retryAfter === 'string' ? retryAfter : undefined,
        body: await readStart(answer.body),
      };
    } catch (cause) {
      return { kind: 'failed', cause, maybeSent: !wasNotSent(cause) };
    }
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}

/** The status is what counts: a body that breaks off or goes on for ever changes nothing about it. */
async function readStart(body: Dispatcher.ResponseData['body']): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of body) {
      if (!Buffer.isBuffer(chunk)) break;
      chunks.push(chunk);
      length += chunk.length;
      if (length >= MAX_ANSWER_BYTES) break;
    }
  } catch {
    // Cut short: what came is kept.
  }
  return Buffer.concat(chunks).subarray(0, MAX_ANSWER_BYTES).toString('utf8');
}

function wasNotSent(cause: unknown): boolean {
  for (let error = cause; error instanceof Error; error = error.cause) {
    const code: unknown = Reflect.get(error, 'code');
    // Node names what is wrong with a certificate in codes of their own: CERT_HAS_EXPIRED, ERR_TLS_CERT_ALTNAME_INVALID.
    if (typeof code === 'string' && (NOT_SENT.has(code) || code.includes('CERT'))) return true;
    if (error instanceof AggregateError) return error.errors.every(wasNotSent);
  }
  return false;
}
