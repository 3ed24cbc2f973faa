import { DeliveryError } from '@sluice/protocol';
import { type Backoff, backoffDelayMs, sleep } from '@sluice/protocol/toolbox';
import { exchange, failure } from './exchange.ts';
import type { Settings } from './options.ts';

const BACKOFF: Backoff = { baseMs: 500, maxMs: 60_000 };
// Waits up to a fifth longer than `Retry-After`: clients that got the same value then do not retry together.
const RETRY_AFTER_JITTER = 0.2;

/**
 * Returns the customer's JSON text. Retries until an answer comes, a retry cannot help, or no retry is left. Ends early if the
 * signal aborts; then nobody waits for the result.
 */
export async function requestCustomer(settings: Settings, key: string, signal: AbortSignal): Promise<string> {
  const { clock, random, retries, maxRetryAfterMs, timeoutMs } = settings;
  for (let failures = 0; ; failures += 1) {
    const attempt = new AbortController();
    const end = () => attempt.abort();
    signal.addEventListener('abort', end, { signal: attempt.signal });
    // Ends the attempt even if `fetch` ignores its signal.
    const timeUp = sleep(clock, timeoutMs, attempt.signal, true).then(() => {
      throw failure(settings, `timed out after ${timeoutMs} ms`, { retryable: true });
    });
    let retryAfterMs: number;
    try {
      return await Promise.race([exchange(settings, key, attempt.signal), timeUp]);
    } catch (error) {
      if (!(error instanceof DeliveryError && error.retryable) || failures >= retries) throw error;
      ({ retryAfterMs = 0 } = error);
      if (retryAfterMs > maxRetryAfterMs) throw error;
    } finally {
      // Cancels the timer, and closes the connection if the body was not read to its end.
      end();
    }
    const delayMs = retryAfterMs
      ? retryAfterMs + RETRY_AFTER_JITTER * retryAfterMs * random()
      : backoffDelayMs(failures, BACKOFF, random);
    await sleep(clock, delayMs, signal, true);
    signal.throwIfAborted();
  }
}
