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
  const { clock, random, retries, maxRetryAfterMs, limit } = settings;
  for (let failures = 0; ; failures += 1) {
    let retryAfterMs: number;
    try {
      return await limit(signal, () => attempt(settings, key, signal));
    } catch (error) {
      if (!(error instanceof DeliveryError && error.retryable) || failures >= retries) throw error;
      ({ retryAfterMs = 0 } = error);
      if (retryAfterMs > maxRetryAfterMs) throw error;
    }
    const delayMs = retryAfterMs
      ? retryAfterMs + RETRY_AFTER_JITTER * retryAfterMs * random()
      : backoffDelayMs(failures, BACKOFF, random);
    await sleep(clock, delayMs, signal, true);
    signal.throwIfAborted();
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
