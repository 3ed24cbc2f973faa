import type { Redact } from '@sluice/protocol/toolbox';
import type { classify } from '../parts/classify.ts';
import type { guards } from '../parts/guards.ts';
import type { hooks } from '../parts/hooks.ts';
import type { idempotency } from '../parts/idempotency.ts';
import type { waitUntil } from '../parts/wait-until.ts';
import { type Destination, SERVICE } from '../send/requests.ts';
import type { Books } from '../tell/books.ts';
import { consoleWarnings } from '../tell/console-log.ts';
import { Reporter, type Tell } from '../tell/reporter.ts';
import type { Settings } from './settings.ts';

/** User code, wrapped so that it cannot harm the tracker. A part that a page does not have returns nothing. */
export interface Guarded extends Partial<ReturnType<typeof guards>> {
  readonly destination: Destination;
  readonly headers: ReturnType<typeof idempotency>;
  readonly rejected: ReturnType<typeof classify>;
  readonly waitUntil: ReturnType<typeof waitUntil>;
  /** Changes, checks and drops tracked events. Undefined if no option is a hook. */
  readonly prepare: ReturnType<typeof hooks>;
  readonly reporter: Reporter;
}

/**
 * Wraps user code so that the tracker can call it safely.
 *
 * @param redact Removes the API key from a text.
 * @param flush Resolves once all events tracked by now are settled, or cannot be settled for now.
 * @param publish As `Platform.publish`.
 */
export function guardCallbacks(
  settings: Settings,
  books: Books,
  redact: Redact,
  flush: () => Promise<unknown>,
  publish?: Tell,
): Guarded {
  const { apiKey, clock, delivery, destination, parts } = settings;
  const onFailed = (callback: string, error: unknown) => reporter.callbackFailed(callback, error);
  const { log, steps } = parts.logger?.(settings, clock, redact, onFailed) ?? {};
  const warnings = log ?? (settings.logger !== false && consoleWarnings(redact));
  const reporter = new Reporter(books, clock, [publish, warnings, steps]);
  return {
    ...parts.guards?.(settings.transport, clock, redact),
    headers: parts.idempotency?.(delivery.idempotencyHeader),
    rejected: parts.classify?.(delivery.classify, onFailed),
    waitUntil: parts.waitUntil?.(settings.waitUntil, flush, onFailed),
    destination: (destination && parts.destination?.(destination, apiKey, onFailed)) || SERVICE,
    prepare: parts.hooks?.(settings, onFailed),
    reporter,
  };
}
