// SQLite's text can hold neither U+0000 nor half a surrogate pair; strings of JSON can. So free text is stored as it
// would stand between the quotes of a JSON string: equal strings stay equal, others stay different, plain words stay plain.

/** The form of `text` that SQLite can store and compare. */
export function escapeText(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** The text that was escaped. */
export function unescapeText(escaped: string): string {
  return JSON.parse(`"${escaped}"`);
}
