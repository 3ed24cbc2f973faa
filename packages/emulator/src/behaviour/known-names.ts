import { ConfigError } from '@sluice/protocol';
import { describe } from '@sluice/protocol/toolbox';

/**
 * Throws {@link ConfigError} if `given` is not an object or has an unknown name, so that a typing error is noticed. `what` names
 * the object in the message, and `role` says what its names are.
 */
export function checkNames(
  what: string,
  given: unknown,
  known: readonly string[],
  role = 'an option',
): asserts given is object {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new ConfigError(what, `${what} must be an object, got ${describe(given)}`);
  }
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new ConfigError(unknown, `${unknown} is not ${role}: there are ${known.join(', ')}`);
}
