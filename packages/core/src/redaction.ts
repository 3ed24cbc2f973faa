import { type Redact, redactedError } from '@sluice/protocol';
import type { Outcome } from './transport.ts';

/** How much of an answer is shown and kept, in characters. */
export const MAX_EXCERPT_LENGTH = 1024;

/** The outcome of a request without the key. A service may quote its request, and an HTTP library's error the headers. */
export function redactedOutcome(outcome: Outcome, redact: Redact): Outcome {
  return outcome.kind === 'answered'
    ? { ...outcome, body: redact(outcome.body) }
    : { ...outcome, cause: redactedError(outcome.cause, redact) };
}
