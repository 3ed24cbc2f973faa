import { InvalidEventError } from '@sluice/protocol';
import { describe, tried } from '@sluice/protocol/toolbox';

/** Whether a thrown value is an instance of an error class. False if even this check throws. */
export function isThrown<Thrown extends Error>(
  thrown: unknown,
  kind: abstract new (...given: never[]) => Thrown,
): thrown is Thrown {
  return tried(() => thrown instanceof kind) === true;
}

/** The message of a thrown value. User code may throw anything, even a value that throws when it is read. */
export function reasonOf(thrown: unknown): string {
  const reason = tried(() => (thrown instanceof Error ? String(thrown.message) : describe(thrown)));
  return reason ?? 'a value that cannot be shown';
}

/**
 * The error for an event that cannot be sent.
 *
 * @param cause An InvalidEventError, or what the payload threw while it was serialised.
 * @param event Its name, if it has one.
 */
export function invalidEvent(cause: unknown, event: unknown): InvalidEventError {
  const error = isThrown(cause, InvalidEventError)
    ? cause
    : new InvalidEventError('payload', `payload cannot be made JSON: ${reasonOf(cause)}`, { cause });
  // It may be frozen, if a payload threw it.
  if (typeof event === 'string') Reflect.set(error, 'event', event);
  return error;
}

/** How much of an answer is shown and kept, in characters. */
const MAX_EXCERPT_LENGTH = 1024;

export function excerptOf(body: string): string {
  return body.slice(0, MAX_EXCERPT_LENGTH);
}
