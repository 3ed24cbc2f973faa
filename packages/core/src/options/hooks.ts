import { type Redact, redactedError } from '@sluice/protocol';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../parts/logger.ts';
import type { ReadRejected } from '../send/http/read-rejected.ts';
import type { Transport } from '../send/http/transport.ts';
import type { Batch } from '../wait/batch.ts';
import { HandOver } from './hand-over.ts';
import type { Settings } from './settings.ts';

/** What a tracker lends to the code of its application. */
export interface HooksOptions {
  readonly settings: Settings;
  /** The platform's. */
  readonly clock: Clock;
  /** Takes the key out of a text. */
  readonly redact: Redact;
  /** Events ever tracked. */
  readonly tracked: () => number;
  /** Resolves once what is tracked by now is settled, or cannot be. */
  readonly flush: () => Promise<unknown>;
  readonly onFailed: (hook: string, error: unknown) => void;
}

/** The code of an application, held to its word; nothing where the settings have none. */
export interface Hooked {
  /** The platform's where the settings have none. */
  readonly clock: Clock;
  readonly random: () => number;
  readonly transport?: Transport | undefined;
  /** Why a request failed, without the key. */
  readonly safeCause?: ((cause: unknown) => unknown) | undefined;
  /** Headers that one batch has and others have not. */
  readonly headersOf?: ((batch: Batch) => Readonly<Record<string, string>>) | undefined;
  readonly rejected?: ReadRejected | undefined;
  /** Is told all that is raised. */
  readonly log?: Log | undefined;
  /** Is told of each event that was taken. */
  readonly handOver?: { notify(): void } | undefined;
}

/** Makes of the code of an application what a tracker may use without fear. */
export function guardHooks({
  settings,
  clock: platformClock,
  redact,
  tracked,
  flush,
  onFailed,
}: HooksOptions): Hooked {
  const failed = (hook: string) => (error: unknown) => onFailed(hook, error);
  const { random, transport, waitUntil, logger, delivery, parts } = settings;
  const { classify, idempotencyHeader } = delivery;
  const clock =
    (settings.clock && parts.guards?.clock(settings.clock, platformClock, failed('clock'))) ?? platformClock;
  return {
    clock,
    random: (random && parts.guards?.random(random, failed('random'))) ?? Math.random,
    transport: transport && parts.guards?.transport(transport, clock),
    safeCause: (cause) => redactedError(cause, redact),
    headersOf: idempotencyHeader ? parts.idempotency?.create(idempotencyHeader) : undefined,
    rejected:
      classify &&
      ((batch, answer) => parts.classify?.read(batch, answer, classify, failed('delivery.classify'))),
    log: logger && parts.logger?.create({ logger, clock, redact, onFailed: failed('logger') }),
    handOver: waitUntil && new HandOver({ waitUntil, tracked, flush, onFailed: failed('waitUntil') }),
  };
}
