import { type Redact, redactedError } from '@sluice/protocol';
import type { Outcome } from './transport.ts';

/** How much of an answer is shown and kept, in characters. */
export const MAX_EXCERPT_LENGTH = 1024;

/**
 * What may be shown of the outcome of a request: an answer's start, and nothing with the key in it. A service may quote
 * its request, and an HTTP library's error the headers.
 */
export function redactedOutcome(outcome: Outcome, redact: Redact): Outcome {
  return outcome.kind === 'answered'
    ? { ...outcome, body: redact(outcome.body).slice(0, MAX_EXCERPT_LENGTH) }
    : { ...outcome, cause: redactedError(outcome.cause, redact) };
}
