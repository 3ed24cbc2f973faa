const EXCERPT_CHARACTERS = 60;

/**
 * Returns a short name of a value for an error message: `number 7`, `string "ab…"`, `an array`.
 * Never calls code of the value and never throws. A large value takes no longer than a small one.
 */
export function describe(value: unknown): string {
  switch (typeof value) {
    case 'undefined':
      return 'nothing';
    case 'string':
      return value === '' ? 'an empty string' : `string ${JSON.stringify(excerpt(value))}`;
    case 'object':
      return value === null ? 'null' : nameObject(value);
    case 'function':
      return 'a function';
    case 'bigint':
      // Converting a large bigint to decimal digits takes more than linear time.
      return BigInt.asIntN(64, value) === value ? `bigint ${value}` : 'a bigint of more than 64 bits';
    default:
      return `${typeof value} ${excerpt(String(value))}`;
  }
}

function nameObject(value: object): string {
  try {
    return Array.isArray(value) ? 'an array' : 'an object';
  } catch {
    return 'a revoked proxy';
  }
}

function excerpt(text: string): string {
  return text.length > EXCERPT_CHARACTERS ? `${text.slice(0, EXCERPT_CHARACTERS)}…` : text;
}
