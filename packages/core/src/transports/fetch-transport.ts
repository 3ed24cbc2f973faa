import { MAX_ANSWER_BYTES, type Outcome, type Transport, type TransportRequest } from '../transport.ts';

/** Posts with the platform's `fetch`: browsers, workers, edge runtimes. */
export class FetchTransport implements Transport {
  async post({ url, headers, body, timeouts, signal }: TransportRequest): Promise<Outcome> {
    const abort = new AbortController();
    const stop = () => abort.abort();
    signal.addEventListener('abort', stop);
    // Not on the tracker's clock: AbortSignal.timeout has none either, and is missing in older browsers.
    const timer = setTimeout(stop, timeouts.totalMs);
    try {
      if (signal.aborted) stop();
      const answer = await fetch(url, {
        method: 'POST',
        headers,
        // A copy where need be: fetch takes no view of shared memory.
        body: body as Uint8Array<ArrayBuffer>,
        redirect: 'manual',
        credentials: 'omit',
        cache: 'no-store',
        referrerPolicy: 'no-referrer',
        signal: abort.signal,
      });
      // A redirect that was not followed shows no status to a page; it is one all the same.
      const status = answer.type === 'opaqueredirect' ? 302 : answer.status;
      return {
        kind: 'answered',
        status,
        retryAfter: answer.headers.get('retry-after') ?? undefined,
        body: await readStart(answer),
      };
    } catch (cause) {
      // A page is not told why a request failed, so it may have arrived.
      return { kind: 'failed', cause, maybeSent: true };
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
    }
  }

  async close(): Promise<void> {}
}

/** The status is what counts: a body that breaks off or goes on for ever changes nothing about it. */
async function readStart(answer: Response): Promise<string> {
  const decoder = new TextDecoder();
  const reader = answer.body?.getReader();
  let text = '';
  try {
    while (reader !== undefined && text.length < MAX_ANSWER_BYTES) {
      const { done, value } = await reader.read();
      if (done) break;
      text += decoder.decode(value, { stream: true });
    }
    await reader?.cancel();
  } catch {
    // Cut short: what came is kept.
  }
  return text.slice(0, MAX_ANSWER_BYTES);
}
