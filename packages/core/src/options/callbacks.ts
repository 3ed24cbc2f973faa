import type { Clock, Redact } from '@sluice/protocol/toolbox';
import type { ClassifyPart } from '../parts/classify.ts';
import type { GuardsPart } from '../parts/guard/guards.ts';
import type { Prepare } from '../parts/hooks/hooks.ts';
import type { IdempotencyPart } from '../parts/idempotency.ts';
import type { WaitUntilPart } from '../parts/wait-until.ts';
import { type Destination, SERVICE } from '../send/requests.ts';
import { consoleWarnings } from '../tell/console-log.ts';
import type { Tell } from '../tell/reporter.ts';
import type { Settings } from './settings.ts';

/** What the tracker passes to the wrappers of user code. */
interface CallbacksOptions {
  readonly settings: Settings;
  readonly clock: Clock;
  /** Removes the API key from a text. */
  readonly redact: Redact;
  /** Number of events tracked so far. */
  readonly tracked: () => number;
  /** Resolves once all events tracked by now are settled, or cannot be settled for now. */
  readonly flush: () => Promise<unknown>;
  readonly onFailed: (callback: string, error: unknown) => void;
}

/** What the parts make of user code. A part that a page does not have makes nothing. */
type Made = ReturnType<GuardsPart> &
  ReturnType<IdempotencyPart> &
  ReturnType<ClassifyPart> &
  ReturnType<WaitUntilPart>;

/** User code, wrapped so that it cannot harm the tracker. */
export interface Guarded extends Partial<Made> {
  readonly destination: Destination;
  /** Changes, checks and drops tracked events. Undefined if no option is a hook. */
  readonly prepare: Prepare | undefined;
  /** The logger or the console. */
  readonly tells: readonly (Tell | false | undefined)[];
}

/** Wraps user code so that the tracker can call it safely. */
export function guardCallbacks(user: CallbacksOptions): Guarded {
  const { settings, redact, onFailed } = user;
  const { apiKey, destination, parts } = settings;
  const { log, steps } = parts.logger?.(user) ?? {};
  const warnings = log ?? (settings.logger !== false && consoleWarnings(redact));
  return {
    ...parts.guards?.(user),
    ...parts.idempotency?.(user),
    ...parts.classify?.(user),
    ...parts.waitUntil?.(user),
    destination: (destination && parts.destination?.(destination, apiKey, onFailed)) || SERVICE,
    prepare: parts.hooks?.(settings, settings.maxEventBytes, onFailed),
    tells: [warnings, steps],
  };
}
