import { type Clock, type Redact, redactedError } from '@sluice/protocol/toolbox';
import type { Transport } from '../../send/http/transport.ts';
import { GuardedTransport } from './guarded-transport.ts';

/** Wraps the application's transport, so that the tracker can use it safely. */
export type GuardsPart = (user: {
  readonly settings: { readonly transport?: Transport | undefined };
  readonly clock: Clock;
  readonly redact: Redact;
}) => {
  readonly transport: Transport | undefined;
  /** Removes the API key from the cause of a failed request. What browsers say of one never has it. */
  readonly safeCause: (cause: unknown) => unknown;
};

/** For pages: `createTracker({ transport, parts: { guards } })`. In Node a tracker has this already. */
export const guards: GuardsPart = ({ settings: { transport }, clock, redact }) => ({
  transport: transport && new GuardedTransport(transport, clock),
  safeCause: (cause) => redactedError(cause, redact),
});
