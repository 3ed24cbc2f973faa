const EXCERPT_CHARACTERS = 60;

/**
 * Names a value in an error message, briefly and without ever calling its code: `number 7`, `string "ab…"`, `an array`.
 * Never throws, and takes no longer for a large value than for a small one.
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
      // Writing a bigint in decimal digits takes longer than linear time.
      return BigInt.asIntN(64, value) === value ? `bigint ${value}` : 'a bigint of more than 64 bits';
    default:
      return `${typeof value} ${excerpt(String(value))}`;
  }
}

/** Whether an object is an array, or undefined where it is a revoked proxy: `Array.isArray` throws on one. */
export function isArray(value: object): boolean | undefined {
  try {
    return Array.isArray(value);
  } catch {
    return undefined;
  }
}

function nameObject(value: object): string {
  const array = isArray(value);
  if (array === undefined) return 'a revoked proxy';
  return array ? 'an array' : 'an object';
}

function excerpt(text: string): string {
  return text.length > EXCERPT_CHARACTERS ? `${text.slice(0, EXCERPT_CHARACTERS)}…` : text;
}
