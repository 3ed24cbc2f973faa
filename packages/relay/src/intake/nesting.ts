const [QUOTE, BACKSLASH, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = Buffer.from('"\\[]{}');

/**
 * Whether JSON is nested deeper than `most`. To parse a megabyte of `[` blocks the process for a quarter of a second; this
 * takes a millisecond.
 */
export function isTooDeep(json: Uint8Array, most: number): boolean {
  let depth = 0;
  let isInString = false;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at];
    if (byte === QUOTE) isInString = !isInString;
    else if (isInString) {
      if (byte === BACKSLASH) at += 1;
    } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
      depth += 1;
      if (depth > most) return true;
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) depth -= 1;
  }
  return false;
}
