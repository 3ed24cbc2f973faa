import { ConfigError } from '../errors/config-error.ts';
import { type Redact, thoroughRedactor } from './redaction.ts';
import { isNonEmptyString } from './rules.ts';

/** A shorter secret would be found in any message. */
const LEAST_SECRET = 4;

/**
 * Runs `work`. A ConfigError of it shows no secret: the user may have put one in the place of another value. What is no text is
 * ignored.
 */
export function withoutSecrets<Result>(secrets: readonly unknown[], work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const redactors = secrets
      .filter(isNonEmptyString)
      .filter(({ length }) => length >= LEAST_SECRET)
      .map(thoroughRedactor);
    const redact: Redact = (text) => redactors.reduce((safe, each) => each(safe), text);
    throw new ConfigError(redact(error.option), redact(error.message));
  }
}
