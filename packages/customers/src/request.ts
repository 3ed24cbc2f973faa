import {
  DeliveryError,
  type DeliveryFailure,
  parseRetryAfter,
  type ReadRequest,
  requestHeaders,
} from '@sluice/protocol';
import { type Backoff, backoffDelayMs, readText, sleep, tried } from '@sluice/protocol/toolbox';
import { platform } from '#platform';
import { CustomerNotFoundError } from './errors/customer-not-found-error.ts';
import type { Settings } from './options.ts';
import type { FetchResponse } from './platform/platform.ts';

const EXCERPT_CHARACTERS = 200;
/** Statuses of answers after which a retry may help: not 501. */
const RETRYABLE = /^(?:408|425|429|5(?!01))/;
const BACKOFF: Backoff = { baseMs: 500, maxMs: 60_000 };
// Waits up to a fifth longer than `Retry-After`: clients that got the same value then do not retry together.
const RETRY_AFTER_JITTER = 0.2;

/**
 * Returns the customer's JSON text. Retries until an answer comes, a retry cannot help, or no retry is left. Ends early if the
 * signal aborts; then nobody waits for the result.
 */
export async function requestCustomer(settings: Settings, key: string, signal: AbortSignal): Promise<string> {
  const { clock, random, retries, maxRetryAfterMs, limit } = settings;
  for (let failures = 0; ; failures += 1) {
    try {
      return await limit(signal, () => attempt(settings, key, signal));
    } catch (error) {
      if (!(error instanceof DeliveryError && error.retryable) || failures >= retries) throw error;
      const { retryAfterMs = 0 } = error;
      if (retryAfterMs > maxRetryAfterMs) throw error;
      const delayMs = retryAfterMs
        ? retryAfterMs + RETRY_AFTER_JITTER * retryAfterMs * random()
        : backoffDelayMs(failures, BACKOFF, random);
      await sleep(clock, delayMs, signal, true);
      signal.throwIfAborted();
    }
  }
}

/** Sends one request, within `timeoutMs`. */
async function attempt(settings: Settings, key: string, signal: AbortSignal): Promise<string> {
  const { clock, timeoutMs } = settings;
  const controller = new AbortController();
  const end = () => controller.abort();
  signal.addEventListener('abort', end, { signal: controller.signal });
  // Ends the attempt even if `fetch` ignores its signal.
  const timeUp = sleep(clock, timeoutMs, controller.signal, true).then(() => {
    throw failure(settings, `timed out after ${timeoutMs} ms`, { retryable: true });
  });
  try {
    return await Promise.race([exchange(settings, key, controller.signal), timeUp]);
  } finally {
    // Cancels the timer, and closes the connection if the body was not read to its end.
    end();
  }
}

/** Returns the customer's JSON text, or throws the error that the answer means. */
async function exchange(settings: Settings, key: string, signal: AbortSignal): Promise<string> {
  const { url, fetch, apiKey, maxResponseBytes, isNotFound, redact, clock } = settings;
  let response: FetchResponse;
  const parts: string[] = [];
  let isWhole: boolean;
  try {
    response = await fetch(url, {
      method: 'POST',
      headers: requestHeaders(apiKey),
      body: JSON.stringify({ primary_key: key } satisfies ReadRequest),
      redirect: 'manual',
      signal,
    });
    isWhole = await readText(response.body, maxResponseBytes, parts);
  } catch (error) {
    const cause = platform.redactedError(error, redact);
    throw failure(settings, `failed: ${platform.reasonOf(cause)}`, { retryable: true, cause });
  }
  const { status, headers, redirected } = response;
  const excerptOf = (text: string) => redact(text).slice(0, EXCERPT_CHARACTERS);
  const body = isWhole ? parts.join('') : '';
  const excerpt = excerptOf(body);
  let what = `was answered ${status}`;
  const [hundreds] = `${status}`;
  if (redirected || !status || hundreds === '3') {
    const location = excerptOf(headers.get('location') || 'an unknown address');
    what = `was redirected to ${location}: correct apiUrl`;
  } else {
    const json = tried(() => JSON.parse(body));
    // A body that is too large may still be a page.
    const isPage =
      /^\s*</.test(body) || ((body || !isWhole) && /html/i.test(`${headers.get('content-type')}`));
    const isMissing = isNotFound ? await isNotFound({ status, body, json }) : status === 404 && !isPage;
    if (isMissing) throw new CustomerNotFoundError(redact(key), status);
    if (status === 404 && isPage) what += ' with a web page: correct apiUrl, or set isNotFound';
    const isSuccess = hundreds === '2';
    if (isSuccess && json && /^\s*{/.test(body)) return body;
    if (!isWhole) what += ` with more than maxResponseBytes (${maxResponseBytes})`;
    else if (isSuccess) what += ' without a JSON object';
    if (status === 401 || status === 403) what += ': check apiKey';
    if (excerpt) what += `: ${JSON.stringify(excerpt)}`;
  }
  throw failure(settings, what, {
    status: status || undefined,
    retryable: RETRYABLE.test(`${status}`),
    retryAfterMs: parseRetryAfter(headers.get('retry-after'), clock.now(), headers.get('date')),
    excerpt,
  });
}

/** Returns a `DeliveryError` that names the URL and does not show the key. */
function failure({ url, redact }: Settings, what: string, details: DeliveryFailure): DeliveryError {
  return new DeliveryError(redact(`POST ${url} ${what}`), details);
}
