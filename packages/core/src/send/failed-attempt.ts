import { DeliveryError, parseRetryAfter } from '@sluice/protocol';
import { excerptOf } from '../base/excerpt.ts';
import { reasonOf } from '../base/reason.ts';
import type { Rule } from './delivery-policy.ts';
import type { Outcome } from './http/transport.ts';

/** The error of a `failedAttempt` event, for a request that did not succeed. */
export function failedAttempt(outcome: Outcome, { action, reason }: Rule, now: number): DeliveryError {
  const retryable = action === 'retry' || action === 'pause';
  if (outcome.kind === 'failed') {
    const message = `the service could not be reached: ${reasonOf(outcome.cause)}`;
    return new DeliveryError(message, { retryable, cause: outcome.cause });
  }
  const { body, date, status, retryAfter } = outcome;
  const who = reason === 'intercepted' ? 'another host' : 'the service';
  const message = `${who} answered ${status}; the sender's action is to ${action}`;
  const retryAfterMs = parseRetryAfter(retryAfter, now, date);
  return new DeliveryError(message, { status, retryable, retryAfterMs, excerpt: excerptOf(body) });
}
