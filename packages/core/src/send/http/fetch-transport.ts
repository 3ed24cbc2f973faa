import { Blockade } from './blockade.ts';
import { TimeLimits } from './time-limits.ts';
import {
  MAX_ANSWER_BYTES,
  type Outcome,
  type Outliving,
  type Transport,
  type TransportRequest,
} from './transport.ts';

/** Has the browser make a request once the page is gone, unless that is aborted before. Throws where it is too much. */
type FetchLater = (url: string, init: RequestInit) => { readonly activated: boolean };

const page = globalThis as { document?: unknown; fetchLater?: FetchLater };

/**
 * What a page may still send so that it outlives it, in bytes of bodies, over all its trackers. Browsers bound each way at
 * 64 KiB, with addresses and headers.
 */
const room: Record<Outliving, number> = { keepalive: 60_000, later: page.fetchLater ? 60_000 : 0 };

/** Posts with the platform's `fetch`: browsers, workers, edge runtimes. */
export class FetchTransport implements Transport {
  readonly #blockade = page.document ? new Blockade() : undefined;

  room(way: Outliving): number {
    return page.document ? room[way] : 0;
  }

  async post({ url, headers, body, timeouts, signal, outlives }: TransportRequest): Promise<Outcome> {
    const abort = new AbortController();
    let stop: (reason: unknown) => void = () => {};
    // Not every runtime ends a read, in every state of the body, when its request is aborted.
    const stopped = new Promise<never>((_, reject) => {
      stop = (reason) => {
        abort.abort(reason);
        reject(reason);
      };
    });
    const limits = new TimeLimits(timeouts, signal, stop);
    const isLater = outlives === 'later';
    const at = page.document ? performance.now() : 0;
    let later: ReturnType<FetchLater> | undefined;
    if (outlives) room[outlives] -= body.length;
    try {
      limits.enter('headersMs');
      const init: RequestInit = {
        method: 'POST',
        // A browser leaves it out, and inflates what comes; no more of that is read than of a plain body.
        headers: { ...headers, 'accept-encoding': 'identity' },
        // A copy where need be: fetch takes no view of shared memory.
        body: body as Uint8Array<ArrayBuffer>,
        redirect: 'manual',
        // Edge runtimes have no such things, and some throw at the fields.
        ...('credentials' in Request.prototype && { credentials: 'omit', referrerPolicy: 'no-referrer' }),
        ...(outlives && !isLater && { keepalive: true }),
        signal: abort.signal,
      };
      if (isLater) later = page.fetchLater?.(url, init);
      // What is made later shows no answer. Where the page goes on after all, it is made as others are.
      const answer = await Promise.race([isLater ? comeBack() : fetch(url, init), stopped]);
      limits.enter('bodyMs');
      this.#blockade?.passed();
      return {
        kind: 'answered',
        // A redirect that was not followed shows no status to a page; it is one all the same.
        status: answer.type === 'opaqueredirect' ? 302 : answer.status,
        retryAfter: answer.headers.get('retry-after') ?? undefined,
        // The address that was asked is normalised; a page may add a query to it. What a script made has no address.
        from: (answer.url || url).startsWith(url) ? undefined : answer.url,
        body: await readStart(answer, stopped),
      };
    } catch (cause) {
      if (isLater) return { kind: 'failed', cause, maybeSent: later?.activated === true };
      // A page is not told why a request failed, so it may have arrived.
      const isBlocked = this.#blockade?.failed(at) === true;
      return { kind: 'failed', cause, maybeSent: !isBlocked, ...(isBlocked && { isBlocked }) };
    } finally {
      limits.clear();
      // Ends what was not read. Not what outlives the page: to that the end of the page is a failure, and it goes on.
      if (outlives) room[outlives] += body.length;
      if (outlives !== 'keepalive') abort.abort();
    }
  }

  async close(): Promise<void> {}
}

/** Rejects once the page is back from where it was put aside. */
function comeBack(): Promise<never> {
  return new Promise((_, reject) => {
    for (const type of ['pageshow', 'resume']) {
      addEventListener(type, () => reject(new Error('the page is back')), { capture: true, once: true });
    }
  });
}

/** The status is what counts: a body that breaks off or goes on for ever changes nothing about it. */
async function readStart(answer: Response, stopped: Promise<never>): Promise<string> {
  const decoder = new TextDecoder();
  const reader = answer.body?.getReader();
  let text = '';
  try {
    for (let room = MAX_ANSWER_BYTES; reader !== undefined && room > 0; ) {
      const { done, value } = await Promise.race([reader.read(), stopped]);
      if (done) break;
      text += decoder.decode(value.subarray(0, room), { stream: true });
      room -= value.length;
    }
  } catch {
    // Cut short: what came is kept.
  }
  return text;
}
