import { type Backoff, backoffDelayMs, DeliveryError } from '@sluice/protocol';
import { pause } from './clock.ts';
import { exchange, failure } from './exchange.ts';
import type { Settings } from './options.ts';

const BACKOFF: Backoff = { baseMs: 500, maxMs: 60_000 };
// Up to a fifth longer than asked for, so that those who were told the same do not come back together.
const RETRY_AFTER_JITTER = 0.2;

/** Asks for a customer until there is an answer, an error that a retry does not mend, or no retry left: its JSON text. */
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

/** One request, within the time-out whatever `fetch` does with its signal. */
async function attempt(settings: Settings, key: string, signal: AbortSignal): Promise<string> {
  signal.throwIfAborted();
  const controller = new AbortController();
  const over = controller.signal;
  signal.addEventListener('abort', () => controller.abort(signal.reason), { signal: over });
  const timeUp = pause(settings.clock, settings.timeoutMs, over).then(() => {
    throw failure(settings, `was not answered within ${settings.timeoutMs} ms`, { retryable: true });
  });
  try {
    return await Promise.race([exchange(settings, key, over), timeUp]);
  } finally {
    // Clears the timer, and closes the connection where the body was not read to its end.
    controller.abort();
  }
}
