import { ConfigError } from '../errors/config-error.ts';
import { type Redact, thoroughRedactor } from './redaction.ts';
import { isNonEmptyString } from './rules.ts';

/** A shorter secret would be found in any message. */
const LEAST_SECRET = 4;

/** Returns a function that removes each of these secrets from texts. What is no text is ignored. */
export function thoroughRedactorOfAll(secrets: readonly unknown[]): Redact {
  const redactors = secrets.filter(isNonEmptyString).map(thoroughRedactor);
  return (text) => redactors.reduce((safe, redact) => redact(safe), text);
}

/**
 * Runs `work`. A ConfigError of it shows no secret: the user may have put one in the place of another value. What is no text is
 * ignored.
 */
export function withoutSecrets<Result>(secrets: readonly unknown[], work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const redact = thoroughRedactorOfAll(secrets.filter((secret) => Object(secret).length >= LEAST_SECRET));
    throw new ConfigError(redact(error.option), redact(error.message));
  }
}
