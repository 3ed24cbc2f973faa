// SQLite's text cannot hold U+0000 or half a surrogate pair, but JSON strings can. So free text is stored as it would be between
// the quotes of a JSON string. Equal texts stay equal, different ones stay different, and plain words do not change.

/** Escapes `text`, so that SQLite can store and compare it. */
export function escapeText(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** Returns the text before it was escaped. */
export function unescapeText(escaped: string): string {
  return JSON.parse(`"${escaped}"`);
}

/** The pattern of LIKE, with `ESCAPE '!'`, for texts that contain `text`. */
export function containing(text: string): string {
  return `%${text.replace(/[!%_]/g, '!$&')}%`;
}

/** Milliseconds since 1970 as ISO 8601 UTC. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
