import { TimeLimits } from './time-limits.ts';
import {
  type Credentials,
  MAX_ANSWER_BYTES,
  type Outcome,
  type Transport,
  type TransportRequest,
} from './transport.ts';

/** What requests that outlive a page may have, in bytes: browsers share 64 KiB among all, including addresses and headers. */
const MOST_BYTES = 60_000;

/** Options of a `FetchTransport`. */
export interface FetchTransportOptions {
  /** Which requests carry the cookies of the service, if the runtime has cookies. Default: `omit`. */
  readonly credentials?: Credentials | undefined;
}

/**
 * Posts with the platform's `fetch`: on the edge, in React Native, and where a page wants a transport of its own.
 *
 * @example createTracker({ baseUrl, correlationKey: 'email', transport: new FetchTransport({ credentials: 'include' }) });
 */
export class FetchTransport implements Transport {
  readonly #credentials: Credentials;
  #room = 'document' in globalThis ? MOST_BYTES : 0;

  constructor({ credentials = 'omit' }: FetchTransportOptions = {}) {
    this.#credentials = credentials;
  }

  room(): number {
    return this.#room;
  }

  async post({ url, headers, body, timeouts, signal, outlives }: TransportRequest): Promise<Outcome> {
    const abort = new AbortController();
    let stop: (reason: unknown) => void = () => {};
    // Not every runtime ends the reading of a body, in every state, when the request is aborted.
    const stopped = new Promise<never>((_, reject) => {
      stop = (reason) => {
        abort.abort(reason);
        reject(reason);
      };
    });
    const limits = new TimeLimits(timeouts, signal, stop);
    const bytes = outlives ? body.length : 0;
    this.#room -= bytes;
    try {
      limits.enter('headersMs');
      const init: RequestInit = {
        method: 'POST',
        // Browsers leave this header out and decompress the answer. The limit on bytes read then counts decompressed bytes.
        headers: { ...headers, 'accept-encoding': 'identity' },
        // The cast is safe: `fetch` rejects a view of shared memory, and `body` never is one.
        body: body as Uint8Array<ArrayBuffer>,
        redirect: 'manual',
        // Edge runtimes do not have these fields, and some throw if they are set.
        ...('credentials' in Request.prototype && {
          credentials: this.#credentials,
          referrerPolicy: 'no-referrer',
        }),
        ...(outlives && { keepalive: true }),
        signal: abort.signal,
      };
      const answer = await Promise.race([fetch(url, init), stopped]);
      const header = (name: string) => answer.headers.get(name) ?? undefined;
      limits.enter('bodyMs');
      return {
        kind: 'answered',
        // A page does not see the status of a redirect that was not followed: it counts as 302.
        status: answer.status || 302,
        location: header('location'),
        retryAfter: header('retry-after'),
        // A page sees it only if the service exposes it.
        date: header('date'),
        // `url` is normalized, and a page may add a query, so compare the start. An answer made by a script has no address.
        from: (answer.url || url).startsWith(url.replace(/\/$/, '')) ? undefined : answer.url,
        body: await this.read(answer, stopped),
      };
    } catch (cause) {
      // `fetch` does not say why a request failed, so the body may have arrived.
      return { kind: 'failed', cause, maybeSent: true };
    } finally {
      limits.clear();
      this.#room += bytes;
      // End what was not read. When a page ends, a request that outlives it seems to fail here, but must go on.
      if (!outlives) abort.abort();
    }
  }

  async close(): Promise<void> {}

  /** Reads the start of the body. If the body breaks off or never ends, that does not matter: the status counts. */
  protected async read(answer: Response, stopped: Promise<never>): Promise<string> {
    const decoder = new TextDecoder();
    const reader = answer.body?.getReader();
    let text = '';
    try {
      for (let room = MAX_ANSWER_BYTES; reader && room > 0; ) {
        const { done, value } = await Promise.race([reader.read(), stopped]);
        if (done) break;
        text += decoder.decode(value.subarray(0, room), { stream: true });
        room -= value.length;
      }
    } catch {
      // The body broke off: keep what came.
    }
    return text;
  }
}
