import { type Clock, type Redact, redactedError } from '@sluice/protocol/toolbox';
import type { Transport } from '../../send/http/transport.ts';
import { GuardedTransport } from './guarded-transport.ts';

/** Wraps the application's transport, so that the tracker can use it safely. */
export interface GuardsPart {
  transport(given: Transport, clock: Clock): Transport;
  /** Removes the API key from the cause of a failed request. What browsers say of one never has it. */
  cause(cause: unknown, redact: Redact): unknown;
}

/** For pages: `createTracker({ transport, parts: { guards } })`. In Node a tracker has this already. */
export const guards: GuardsPart = {
  transport: (given, clock) => new GuardedTransport(given, clock),
  cause: redactedError,
};
