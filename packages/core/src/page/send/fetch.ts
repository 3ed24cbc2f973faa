import { readText } from '@sluice/protocol/toolbox';
import { type Credentials, MAX_ANSWER_BYTES, type Transport } from '../../send/http/transport.ts';

/** Of a request that fails because something in the browser blocks it. */
const AT_ONCE_MS = 50;
const BLOCKED = 8;
/** The browser goes on with requests that were aborted as the page was left. */
const ABORTED_MS = 30_000;

/** What requests of this page that outlive it may still have, in bytes: browsers share 64 KiB among all. */
let room = 60_000;

type PageTransport = Required<Pick<Transport, 'post' | 'room'>>;

/** Makes requests with `fetch`. */
export function createFetch(credentials: Credentials): PageTransport {
  /** Requests in a row that failed at once, and when the first of them did. */
  let failures = 0;
  let failedSince = 0;
  /** Whether the service wants no slash at the end of its address. */
  let isBare = false;

  /** Whether requests fail at once again and again, while others of the page succeed. */
  function blocks(at: number): boolean {
    if (performance.now() - at > AT_ONCE_MS || !globalThis.navigator?.onLine) failures = 0;
    else if (++failures === 1) failedSince = at;
    const seen = performance.getEntriesByType('resource') as PerformanceResourceTiming[];
    const passes = ({ startTime, transferSize }: PerformanceResourceTiming) =>
      startTime > failedSince && transferSize > 0;
    return failures >= BLOCKED && seen.some(passes);
  }

  return {
    room: () => room,
    async post({ url, headers, body, timeouts, signal }) {
      const abort = new AbortController();
      const stop = (name: 'headersMs' | 'bodyMs' | 'totalMs') =>
        setTimeout(() => abort.abort(new Error(`timed out: ${name} is ${timeouts[name]}`)), timeouts[name]);
      const end = () => abort.abort(signal.reason);
      signal.addEventListener('abort', end);
      if (signal.aborted) end();
      const total = stop('totalMs');
      let stage = stop('headersMs');
      const at = performance.now();
      const held = body.length <= room ? body.length : 0;
      room -= held;
      const bare = url.replace(/\/$/, '');
      const ask = (isBare: boolean) =>
        fetch(isBare ? bare : url, {
          method: 'POST',
          redirect: 'manual',
          referrerPolicy: 'no-referrer',
          credentials,
          keepalive: held > 0,
          headers,
          body: body as Uint8Array<ArrayBuffer>,
          signal: abort.signal,
        });
      try {
        // Other requests may find it out meanwhile.
        const before = isBare;
        let answer = await ask(before);
        // A redirect: perhaps only the slash is wrong.
        if (answer.status === 0) {
          const next = await ask(!before);
          if (next.status > 0) answer = next;
          if (next.ok && !/html/.test(`${next.headers.get('content-type')}`)) isBare = !before;
        }
        failures = 0;
        clearTimeout(stage);
        stage = stop('bodyMs');
        const header = (name: string) => answer.headers.get(name) ?? undefined;
        return {
          kind: 'answered',
          status: answer.status || 302,
          retryAfter: header('retry-after'),
          date: header('date'),
          from: (answer.url || url).startsWith(bare) ? undefined : answer.url,
          body: await read(answer),
        };
      } catch (cause) {
        const isBlocked = blocks(at);
        // WebKit does not say why it was aborted.
        return { kind: 'failed', cause: abort.signal.reason ?? cause, maybeSent: !isBlocked, isBlocked };
      } finally {
        clearTimeout(total);
        clearTimeout(stage);
        signal.removeEventListener('abort', end);
        setTimeout(
          () => {
            room += held;
          },
          abort.signal.aborted ? ABORTED_MS : 0,
        );
      }
    },
  };
}

/** The start of the body. What cannot be read is left out: the status counts. */
export async function read({ body }: Response): Promise<string> {
  const parts: string[] = [];
  await readText(body, MAX_ANSWER_BYTES, parts).catch(() => {});
  return parts.join('');
}
