const EXCERPT_CHARACTERS = 60;

/** Names a value in an error message, briefly and without ever calling its code: `number 7`, `string "ab…"`, `an array`. */
export function describe(value: unknown): string {
  if (value === null) return 'null';
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'an array';
  switch (typeof value) {
    case 'string':
      return value === '' ? 'an empty string' : `string ${JSON.stringify(excerpt(value))}`;
    case 'object':
      return 'an object';
    case 'function':
      return 'a function';
    default:
      return `${typeof value} ${String(value)}`;
  }
}

function excerpt(text: string): string {
  return text.length > EXCERPT_CHARACTERS ? `${text.slice(0, EXCERPT_CHARACTERS)}…` : text;
}
