import type { Clock, Redact } from '@sluice/protocol/toolbox';
import type { Prepare } from '../parts/hooks.ts';
import { missingPart, type Parts } from '../parts.ts';
import type { ReadRejected, Transport } from '../send/http/transport.ts';
import { type Destination, SERVICE } from '../send/requests.ts';
import type { Tell } from '../tell/reporter.ts';
import type { Batch } from '../wait/parcel.ts';
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

/** User code, wrapped so that it cannot harm the tracker. Undefined if the settings have none. */
export interface Guarded {
  readonly transport?: Transport | undefined;
  readonly destination: Destination;
  /** Removes the API key from the cause of a failed request. */
  readonly safeCause?: ((cause: unknown) => unknown) | undefined;
  /** Extra headers of one batch. */
  readonly headersOf?: ((batch: Batch) => Readonly<Record<string, string>>) | undefined;
  readonly rejected?: ReadRejected | undefined;
  /** Receives everything that the tracker emits. */
  readonly log?: Tell | false | undefined;
  /** As `log`, for `debug`. */
  readonly steps?: Tell | false | undefined;
  /** Changes, checks and drops tracked events. */
  readonly prepare?: Prepare | undefined;
  /** Notified of each tracked event that was accepted. */
  readonly handOver?: { notify(): void } | undefined;
}

/** The options that are hooks. */
export const HOOKS = ['context', 'beforeSend', 'sample', 'redact', 'bigint', 'events', 'validate'] as const;

/** Wraps user code so that the tracker can call it safely. Throws a ConfigError if a part is missing. */
export function guardCallbacks(user: CallbacksOptions): Guarded {
  const { settings, onFailed } = user;
  const { apiKey, debug, delivery, destination, logger, maxEventBytes, parts, transport, waitUntil } =
    settings;
  const hook = HOOKS.find((name) => settings[name] !== undefined);
  const need = (value: unknown, part: keyof Parts, option: string = part) => {
    if (value && !parts[part]) missingPart(option, part);
  };
  need(transport, 'guards', 'transport');
  need(destination, 'destination');
  need(delivery.idempotencyHeader, 'idempotency', 'delivery.idempotencyHeader');
  need(delivery.classify, 'classify', 'delivery.classify');
  need(hook, 'hooks', hook);
  need(logger, 'logger');
  need(debug, 'logger', 'debug');
  need(waitUntil, 'waitUntil');
  return {
    ...parts.guards?.(user),
    ...parts.idempotency?.(user),
    ...parts.classify?.(user),
    ...parts.logger?.(user),
    ...parts.waitUntil?.(user),
    destination: (destination && parts.destination?.(destination, apiKey, onFailed)) || SERVICE,
    prepare: hook && parts.hooks?.(settings, maxEventBytes, onFailed),
  };
}
