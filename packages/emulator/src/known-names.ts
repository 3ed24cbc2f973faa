import { ConfigError, describe } from '@sluice/protocol';

/**
 * Throws {@link ConfigError} where what was given as `what` is no object, or has a name that is not known: a slip in a
 * name would go unseen. `role` says what the names are.
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
