/**
 * Visits a bracket, brace, colon or comma. `depth`: how many arrays and objects are around it, with the one that it opens or
 * closes. `string`: the last string before it on the first level. Returns true to end the walk.
 */
type Visit = (character: string, at: number, depth: number, string: string) => boolean | undefined;

/** Walks through a JSON text, over its strings. Returns whether a visit ended that. The text may be malformed. */
function walk(text: string, visit: Visit): boolean {
  let depth = 0;
  let string = '';
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '"') {
      const end = endOfString(text, at);
      if (depth === 1) string = text.slice(at, end + 1);
      at = end;
    } else if (character === '[' || character === '{') {
      depth += 1;
      if (visit(character, at, depth, string)) return true;
    } else if (character === ']' || character === '}') {
      if (visit(character, at, depth, string)) return true;
      depth -= 1;
    } else if (depth === 1 && (character === ':' || character === ',')) {
      if (visit(character, at, depth, string)) return true;
    }
  }
  return false;
}

/** Whether a JSON text, which may be malformed, is nested more than `limit` levels deep. Few brackets need no walk. */
export function isDeeperThan(text: string, limit: number): boolean {
  const brackets = text.split('{', limit + 1).length + text.split('[', limit + 1).length;
  return brackets > limit && walk(text, (_, __, depth) => depth > limit);
}

/** Whether a parsed value is an object of JSON: no array, and not null. */
export function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Removes the blanks and line breaks outside the strings of a JSON text. */
export function withoutBlanks(text: string): string {
  return text.replace(/("[^"\\]*(?:\\.[^"\\]*)*")|\s+/g, '$1');
}

/**
 * Returns the exact texts of the objects and arrays in the array that `text`, a JSON object, has under `key`. Other elements are
 * left out. `text` must have been parsed already. The parsed values are not serialised again: that would change numbers that a
 * double cannot hold, and would fail for deep values.
 */
export function elementTexts(text: string, key: string): string[] {
  let texts: string[] = [];
  let inArray = false;
  let start = 0;
  walk(text, (character, at, depth, string) => {
    if (depth === 2 && character === '[' && isKey(string, key)) {
      inArray = true;
      texts = []; // a key may occur twice: the last one counts, as in JSON.parse
    } else if (depth === 2) {
      inArray = false;
    } else if (depth === 3 && (character === '[' || character === '{')) {
      start = at;
    } else if (depth === 3 && inArray) {
      texts.push(text.slice(start, at + 1));
    }
    return undefined;
  });
  return texts;
}

/**
 * Returns the exact text of the value that `text`, a JSON object, has under `key`; the last one if the key is repeated. Undefined
 * if there is none. `text` must have been parsed already. It may also be the beginning of such a text: then the result may be the
 * beginning of the value.
 */
export function memberText(text: string, key: string): string | undefined {
  let start = -1;
  let found: string | undefined;
  walk(text, (character, at, depth, string) => {
    if (depth !== 1 || character === '{') return undefined;
    if (start !== -1) found = text.slice(start, at).trim();
    start = character === ':' && isKey(string, key) ? at + 1 : -1;
    return character === '}';
  });
  return start === -1 ? found : text.slice(start).trim();
}

function isKey(string: string, key: string): boolean {
  return string.includes('\\') ? JSON.parse(string) === key : string === `"${key}"`;
}

/** Returns the index of the quote that ends the string that starts at `start`; the end of the text if there is none. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end;
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text.charAt(at - 1 - backslashes) === '\\') backslashes += 1;
  return backslashes % 2 === 1;
}
