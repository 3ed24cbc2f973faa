import { type Redact, redactedError } from '@sluice/protocol';
import type { Outcome } from './transport.ts';

/** The outcome of a request without the key in it: a service may quote its request, and an HTTP library's error its headers. */
export function redactedOutcome(outcome: Outcome, redact: Redact): Outcome {
  return outcome.kind === 'answered'
    ? { ...outcome, body: redact(outcome.body) }
    : { ...outcome, cause: redactedError(outcome.cause, redact) };
}
