import type { Outcome } from './transport.ts';

const REDACTED = '[api key]';

/** The outcome of a request without the key in it: a service may quote its request, and an HTTP library its headers. */
export function withoutKey(outcome: Outcome, apiKey: string | undefined): Outcome {
  if (apiKey === undefined) return outcome;
  if (outcome.kind === 'answered') return { ...outcome, body: outcome.body.replaceAll(apiKey, REDACTED) };
  return { ...outcome, cause: causeWithoutKey(outcome.cause, apiKey) };
}

function causeWithoutKey(cause: unknown, apiKey: string): unknown {
  if (typeof cause === 'string') return cause.replaceAll(apiKey, REDACTED);
  if (!(cause instanceof Error) || !`${cause.message} ${cause.stack} ${cause.cause}`.includes(apiKey))
    return cause;
  const redacted = new Error(String(cause.message).replaceAll(apiKey, REDACTED));
  redacted.name = cause.name;
  return redacted;
}
