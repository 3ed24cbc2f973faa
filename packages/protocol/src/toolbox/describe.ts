/** A longer string is not shown: to read even its start, an engine may have to put all of it together first. */
const MOST_CHARACTERS = 100;

/**
 * Returns a short name of a value for an error message: `number 7`, `string "ab"`, `a string of 5000 characters`, `an array`.
 * Never calls code of the value and never throws. A large value takes no longer than a small one.
 */
export function describe(value: unknown): string {
  switch (typeof value) {
    case 'undefined':
      return 'nothing';
    case 'string':
      if (value.length > MOST_CHARACTERS) return `a string of ${value.length} characters`;
      return value === '' ? 'an empty string' : `string ${JSON.stringify(value)}`;
    case 'object':
      return value === null ? 'null' : nameObject(value);
    // Its digits take more than linear time.
    case 'bigint':
    case 'function':
      return `a ${typeof value}`;
    default:
      return `${typeof value} ${String(value).slice(0, MOST_CHARACTERS)}`;
  }
}

function nameObject(value: object): string {
  return tried(() => (Array.isArray(value) ? 'an array' : 'an object')) ?? 'a revoked proxy';
}

/** The result of a call; undefined if it throws. */
export function tried<Result>(call: () => Result): Result | undefined {
  try {
    return call();
  } catch {
    return undefined;
  }
}
