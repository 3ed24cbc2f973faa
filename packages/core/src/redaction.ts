import { reasonOf } from './reason.ts';
import type { Outcome } from './transport.ts';

const REDACTED = '[api key]';
const MAX_CAUSES = 4;

/** The outcome of a request without the key in it: a service may quote its request, and an HTTP library its headers. */
export function withoutKey(outcome: Outcome, apiKey: string | undefined): Outcome {
  if (apiKey === undefined) return outcome;
  if (outcome.kind === 'answered') return { ...outcome, body: outcome.body.replaceAll(apiKey, REDACTED) };
  return { ...outcome, cause: causeWithoutKey(outcome.cause, apiKey) };
}

/** Name, message and code alone: an HTTP library's error may hold the request, headers and all. */
function causeWithoutKey(cause: unknown, apiKey: string, depth = 0): unknown {
  if (!(cause instanceof Error)) return reasonOf(cause).replaceAll(apiKey, REDACTED);
  const inner: unknown = cause instanceof AggregateError ? cause.errors[0] : cause.cause;
  const options =
    inner === undefined || depth >= MAX_CAUSES ? {} : { cause: causeWithoutKey(inner, apiKey, depth + 1) };
  const redacted = new Error(reasonOf(cause).replaceAll(apiKey, REDACTED), options);
  redacted.name = cause.name;
  const code: unknown = Reflect.get(cause, 'code');
  return typeof code === 'string'
    ? Object.assign(redacted, { code: code.replaceAll(apiKey, REDACTED) })
    : redacted;
}
