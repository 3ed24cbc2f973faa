import { type Backoff, backoffDelayMs, DeliveryError } from '@sluice/protocol';
import { pause } from './clock.ts';
import { exchange, failure } from './exchange.ts';
import type { Settings } from './options.ts';

const BACKOFF: Backoff = { baseMs: 500, maxMs: 60_000 };
// Waits up to a fifth longer than `Retry-After`: clients that got the same value then do not retry together.
const RETRY_AFTER_JITTER = 0.2;

/** Returns the customer's JSON text. Retries until an answer comes, a retry cannot help, or no retry is left. */
export async function requestCustomer(settings: Settings, key: string, signal: AbortSignal): Promise<string> {
  const { clock, random, retries, maxRetryAfterMs } = settings;
  for (let failures = 0; ; failures += 1) {
    try {
      return await attempt(settings, key, signal);
    } catch (error) {
      if (!(error instanceof DeliveryError && error.retryable) || failures >= retries) throw error;
      const { retryAfterMs = 0 } = error;
      if (retryAfterMs > maxRetryAfterMs) throw error;
      const delayMs = retryAfterMs
        ? retryAfterMs + RETRY_AFTER_JITTER * retryAfterMs * random()
        : backoffDelayMs(failures, BACKOFF, random);
      await pause(clock, delayMs, signal);
    }
  }
}

/** Sends one request. Ends within the time-out, even if `fetch` ignores its signal. */
async function attempt(settings: Settings, key: string, signal: AbortSignal): Promise<string> {
  signal.throwIfAborted();
  const controller = new AbortController();
  const over = controller.signal;
  signal.addEventListener('abort', () => controller.abort(signal.reason), { signal: over });
  const timeUp = pause(settings.clock, settings.timeoutMs, over).then(() => {
    throw failure(settings, `timed out after ${settings.timeoutMs} ms`, { retryable: true });
  });
  try {
    return await Promise.race([exchange(settings, key, over), timeUp]);
  } finally {
    // Cancels the timer, and closes the connection if the body was not read to its end.
    controller.abort();
  }
}
