import { DeliveryError, parseRetryAfter } from '@sluice/protocol';
import { excerptOf, reasonOf } from '../base/reason.ts';
import { HINTS } from '../tell/console-log.ts';
import type { Rule } from './delivery-policy.ts';
import type { Outcome } from './http/transport.ts';

type Of<Kind extends Outcome['kind']> = Omit<Extract<Outcome, { kind: Kind }>, 'kind'>;

/** How much of an answer the message shows, in characters. */
const SHOWN = 200;

/** The error of a `requestFailed` event, for a request that did not succeed. */
export function requestFailed(
  outcome: Outcome,
  { action, isPushback, reason }: Rule,
  url: string,
  now: number,
): DeliveryError {
  const { body = '', cause, date, retryAfter, status }: Partial<Of<'answered'> & Of<'failed'>> = outcome;
  const excerpt = excerptOf(body);
  const words = JSON.stringify(excerpt.slice(0, SHOWN));
  const what = status ? `was answered ${status} with ${words}` : `failed: ${reasonOf(cause)}`;
  const why = isPushback ? 'asked' : reason;
  const message = `POST ${url} ${what}; action: ${action}; ${HINTS[why]}`;
  const retryAfterMs = parseRetryAfter(retryAfter, now, date);
  const retryable = action === 'retry' || action === 'pause';
  return new DeliveryError(message, { status, retryable, retryAfterMs, excerpt, cause });
}
