import type { Clock, Redact } from '@sluice/protocol/toolbox';
import type { Prepare } from '../parts/hooks/hooks.ts';
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

const HOOKS = ['context', 'beforeSend', 'sample', 'redact', 'bigint', 'events', 'validate'] as const;

/** Wraps user code so that the tracker can call it safely. */
export function guardCallbacks({
  settings,
  clock,
  redact: withoutKey,
  tracked,
  flush,
  onFailed,
}: CallbacksOptions): Guarded {
  const failed = (callback: string) => (error: unknown) => onFailed(callback, error);
  const { destination, transport, waitUntil, debug, logger, delivery, parts } = settings;
  const hook = HOOKS.find((name) => settings[name] !== undefined);
  const { guards } = parts;
  const { classify, idempotencyHeader } = delivery;
  const part = <Name extends keyof Parts>(name: Name, option: string = name) =>
    parts[name] ?? missingPart(option, name);
  const reader = classify && part('classify', 'delivery.classify');
  return {
    transport: transport && part('guards', 'transport').transport(transport, clock),
    destination: destination ? part('destination')(destination, settings.apiKey, onFailed) : SERVICE,
    safeCause: guards && ((cause) => guards.cause(cause, withoutKey)),
    headersOf:
      idempotencyHeader === undefined
        ? undefined
        : part('idempotency', 'delivery.idempotencyHeader').create(idempotencyHeader),
    rejected:
      reader && ((batch, answer) => reader.read(batch, answer, classify, failed('delivery.classify'))),
    prepare:
      hook &&
      part('hooks', hook)(
        Object.fromEntries(HOOKS.map((name) => [name, settings[name]])),
        settings.maxEventBytes,
        onFailed,
      ),
    log: logger && part('logger').create({ logger, clock, redact: withoutKey, onFailed: failed('logger') }),
    steps: debug && part('logger', 'debug').steps(withoutKey),
    handOver:
      waitUntil && part('waitUntil').create({ waitUntil, tracked, flush, onFailed: failed('waitUntil') }),
  };
}
