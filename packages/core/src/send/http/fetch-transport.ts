import { TimeLimits } from './time-limits.ts';
import {
  type Credentials,
  MAX_ANSWER_BYTES,
  type Outcome,
  type Transport,
  type TransportRequest,
} from './transport.ts';

const isPage = 'document' in globalThis;

/** A request that the browser blocks fails within this time, in milliseconds; one to a service that is away usually later. */
const AT_ONCE_MS = 50;
/** Failures in a row before requests may count as blocked. By then, a service that is away gets about one request a minute. */
const FAILURES = 8;

/**
 * Bytes of bodies that the page may still send in requests that outlive it, for all its trackers together. Browsers limit that to
 * 64 KiB, including addresses and headers.
 */
let room = isPage ? 60_000 : 0;
/** Chromium goes on with an aborted request that may outlive the page for so long, and counts its bytes. */
const ABORTED_MS = 30_000;

/**
 * Finds out whether something in the browser, for example an ad-blocker, blocks requests, or whether the service is away.
 * Blocked requests each fail at once, while other requests of the page succeed. This makes no request: it looks at those that
 * the page makes anyway.
 */
class Blockade {
  #failures = 0;
  /** When the first of these failures began, as a time of `performance.now()`. */
  #since = 0;

  /** A request got an answer. */
  passed(): void {
    this.#failures = 0;
  }

  /** A request that began at a time of `performance.now()` failed. Returns whether such requests are blocked. */
  failed(at: number): boolean {
    if (performance.now() - at > AT_ONCE_MS || !navigator.onLine) this.#failures = 0;
    else if (++this.#failures === 1) this.#since = at;
    if (this.#failures < FAILURES) return false;
    const seen = performance.getEntriesByType('resource') as PerformanceResourceTiming[];
    return seen.some(({ startTime, transferSize }) => startTime > this.#since && transferSize > 0);
  }
}

/** Options of a `FetchTransport`. */
export interface FetchTransportOptions {
  /** Which requests carry the cookies of the service, if the runtime has cookies. Default: `omit`. */
  readonly credentials?: Credentials | undefined;
}

/**
 * Posts with the platform's `fetch`: in browsers, workers and edge runtimes.
 *
 * @example createTracker({ baseUrl, correlationKey: 'email', transport: new FetchTransport({ credentials: 'include' }) });
 */
export class FetchTransport implements Transport {
  readonly #credentials: Credentials;
  /** Whether the service redirects to its address without the slash at the end. */
  #isBare = false;
  readonly #blockade = isPage ? new Blockade() : undefined;

  constructor({ credentials = 'omit' }: FetchTransportOptions = {}) {
    this.#credentials = credentials;
  }

  room(): number {
    return room;
  }

  async post({ url, headers, body, timeouts, signal }: TransportRequest): Promise<Outcome> {
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
    const at = isPage ? performance.now() : 0;
    // The page may be left before the answer.
    const keepalive = body.length <= room;
    if (keepalive) room -= body.length;
    let isGoingOn = false;
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
        ...(keepalive && { keepalive }),
        signal: abort.signal,
      };
      const bare = url.replace(/\/$/, '');
      const ask = (isBare: boolean) => Promise.race([fetch(isBare ? bare : url, init), stopped]);
      const isBare = this.#isBare;
      let answer = await ask(isBare);
      // A page does not see where a redirect leads: it may be the same address without the slash at its end, or with it.
      if (answer.status === 0) {
        const next = await ask(!isBare);
        if (next.status > 0) answer = next;
        if (next.ok && !/html/.test(`${next.headers.get('content-type')}`)) this.#isBare = !isBare;
      }
      const header = (name: string) => answer.headers.get(name) ?? undefined;
      limits.enter('bodyMs');
      this.#blockade?.passed();
      return {
        kind: 'answered',
        // A page does not see the status of a redirect that was not followed: it counts as 302.
        status: answer.status || 302,
        location: header('location'),
        retryAfter: header('retry-after'),
        // A page sees it only if the service exposes it.
        date: header('date'),
        // `url` is normalized, and a page may add a query, so compare the start. An answer made by a script has no address.
        from: (answer.url || url).startsWith(bare) ? undefined : answer.url,
        body: await this.read(answer, stopped),
      };
    } catch (cause) {
      // When the page ends, such a request seems to fail here, but it must go on.
      isGoingOn = keepalive;
      // A page does not learn why a request failed, so the body may have arrived.
      const isBlocked = this.#blockade?.failed(at) === true;
      return { kind: 'failed', cause, maybeSent: !isBlocked, ...(isBlocked && { isBlocked }) };
    } finally {
      limits.clear();
      const giveBack = () => {
        room += keepalive ? body.length : 0;
      };
      if (keepalive && abort.signal.aborted) setTimeout(giveBack, ABORTED_MS);
      else giveBack();
      // End what was not read.
      if (!isGoingOn) abort.abort();
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
