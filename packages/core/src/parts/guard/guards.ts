import { type Clock, type Redact, redactedError } from '@sluice/protocol/toolbox';
import type { Transport } from '../../send/http/transport.ts';
import { GuardedClock } from './guarded-clock.ts';
import { guardedRandom } from './guarded-random.ts';
import { GuardedTransport } from './guarded-transport.ts';

type OnFailed = (error: unknown) => void;

/** Wraps what the application and its transport provide, so that the tracker can use it safely. */
export interface GuardsPart {
  clock(given: Clock, fallback: Clock, onFailed: OnFailed): Clock;
  random(given: () => number, onFailed: OnFailed): () => number;
  transport(given: Transport, clock: Clock): Transport;
  /** Removes the API key from the cause of a failed request. What browsers say of one never has it. */
  cause(cause: unknown, redact: Redact): unknown;
}

/** For pages: `createTracker({ clock, parts: { guards } })`. In Node a tracker has this already. */
export const guards: GuardsPart = {
  clock: (given, fallback, onFailed) => new GuardedClock(given, fallback, onFailed),
  random: guardedRandom,
  transport: (given, clock) => new GuardedTransport(given, clock),
  cause: redactedError,
};
