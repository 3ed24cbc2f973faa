const BLANK = 0x20;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const COLON = 0x3a;
const COMMA = 0x2c;

/** Whether arrays and objects in a JSON text are nested more than `limit` levels deep. The text may be malformed. */
export function isDeeperThan(text: string, limit: number): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    if (character === QUOTE) {
      at = endOfString(text, at);
    } else if (character === OPEN_BRACKET || character === OPEN_BRACE) {
      depth += 1;
      if (depth > limit) return true;
    } else if (character === CLOSE_BRACKET || character === CLOSE_BRACE) {
      depth -= 1;
    }
  }
  return false;
}

/** Removes the blanks and line breaks outside the strings of a JSON text. */
export function withoutBlanks(text: string): string {
  let compact = '';
  let start = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    if (character === QUOTE) {
      at = endOfString(text, at);
    } else if (character <= BLANK) {
      compact += text.slice(start, at);
      start = at + 1;
    }
  }
  return compact + text.slice(start);
}

/**
 * Returns the exact texts of the objects and arrays in the array that `text`, a JSON object, has under `key`. Other elements are
 * left out. `text` must have been parsed already. The parsed values are not serialised again: that would change numbers that a
 * double cannot hold, and would fail for deep values.
 */
export function elementTexts(text: string, key: string): string[] {
  let texts: string[] = [];
  let depth = 0;
  let latestString = '';
  let inArray = false;
  let start = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    if (character === QUOTE) {
      const end = endOfString(text, at);
      if (depth === 1) latestString = text.slice(at, end + 1);
      at = end;
    } else if (character === OPEN_BRACKET || character === OPEN_BRACE) {
      depth += 1;
      if (depth === 2 && character === OPEN_BRACKET && JSON.parse(latestString) === key) {
        inArray = true;
        texts = []; // a key may occur twice: the last one counts, as in JSON.parse
      } else if (depth === 3) {
        start = at;
      }
    } else if (character === CLOSE_BRACKET || character === CLOSE_BRACE) {
      depth -= 1;
      if (depth === 2 && inArray) texts.push(text.slice(start, at + 1));
      else if (depth === 1) inArray = false;
    }
  }
  return texts;
}

/**
 * Returns the exact text of the value that `text`, a JSON object, has under `key`; the last one if the key is repeated. Undefined
 * if there is none. `text` must have been parsed already. It may also be the beginning of such a text: then the result may be the
 * beginning of the value.
 */
export function memberText(text: string, key: string): string | undefined {
  let depth = 0;
  let latestString = '';
  let start = -1;
  let found: string | undefined;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    if (character === QUOTE) {
      const end = endOfString(text, at);
      if (depth === 1 && start === -1) latestString = text.slice(at, end + 1);
      at = end;
    } else if (character === OPEN_BRACKET || character === OPEN_BRACE) {
      depth += 1;
    } else if (character === COLON && depth === 1) {
      if (isKey(latestString, key)) start = at + 1;
    } else if ((character === COMMA && depth === 1) || (character === CLOSE_BRACE && depth === 1)) {
      if (start !== -1) found = text.slice(start, at).trim();
      start = -1;
      if (character === CLOSE_BRACE) break;
    } else if (character === CLOSE_BRACKET || character === CLOSE_BRACE) {
      depth -= 1;
    }
  }
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
  while (text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes += 1;
  return backslashes % 2 === 1;
}
