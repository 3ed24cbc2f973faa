const EXCERPT_CHARACTERS = 60;

/** Formats a text for a message: in quotes, with control characters escaped, and cut if it is long. */
export function quote(text: string): string {
  return JSON.stringify(text.length > EXCERPT_CHARACTERS ? `${text.slice(0, EXCERPT_CHARACTERS)}…` : text);
}

/** The message of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
