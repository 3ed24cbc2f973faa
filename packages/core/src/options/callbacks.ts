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

/** What the parts return. A part that a page does not have returns nothing. */
type Made = ReturnType<typeof guards> &
  ReturnType<typeof idempotency> &
  ReturnType<typeof classify> &
  ReturnType<typeof waitUntil>;

/** User code, wrapped so that it cannot harm the tracker. */
export interface Guarded extends Partial<Made> {
  readonly destination: Destination;
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
  const { apiKey, clock, destination, parts } = settings;
  const onFailed = (callback: string, error: unknown) => reporter.callbackFailed(callback, error);
  const user = { settings, clock, redact, flush, onFailed };
  const { log, steps } = parts.logger?.(user) ?? {};
  const warnings = log ?? (settings.logger !== false && consoleWarnings(redact));
  const reporter = new Reporter(books, clock, [publish, warnings, steps]);
  return {
    ...parts.guards?.(user),
    ...parts.idempotency?.(user),
    ...parts.classify?.(user),
    ...parts.waitUntil?.(user),
    destination: (destination && parts.destination?.(destination, apiKey, onFailed)) || SERVICE,
    prepare: parts.hooks?.(settings, settings.maxEventBytes, onFailed),
    reporter,
  };
}
