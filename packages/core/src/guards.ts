/**
 * Holds a `transport`, a `clock` or `random` of the application to its word, for pages: `createTracker({ clock, parts: { guards } })`.
 * In Node a tracker has this already.
 */
import type { Clock } from './clock.ts';
import { GuardedClock } from './guarded-clock.ts';
import { guardedRandom } from './guarded-random.ts';
import { GuardedTransport } from './guarded-transport.ts';
import type { Transport } from './transport.ts';

type OnFailed = (error: unknown) => void;

/** Makes of what the application gives what a tracker may use without fear. */
export interface GuardsPart {
  clock(given: Clock, fallback: Clock, onFailed: OnFailed): Clock;
  random(given: () => number, onFailed: OnFailed): () => number;
  transport(given: Transport, clock: Clock): Transport;
}

/** By the option that each takes. */
export const guards: GuardsPart = {
  clock: (given, fallback, onFailed) => new GuardedClock(given, fallback, onFailed),
  random: guardedRandom,
  transport: (given, clock) => new GuardedTransport(given, clock),
};
