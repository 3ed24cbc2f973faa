const EXCERPT_CHARACTERS = 60;

/** A text as it may stand in a message: in quotes, without control characters, and cut where it is long. */
export function quote(text: string): string {
  return JSON.stringify(text.length > EXCERPT_CHARACTERS ? `${text.slice(0, EXCERPT_CHARACTERS)}…` : text);
}
