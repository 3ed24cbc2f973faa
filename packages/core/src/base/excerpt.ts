/** How much of an answer is shown and kept, in characters. */
const MAX_EXCERPT_LENGTH = 1024;

/** The start of an answer: the part that is shown and kept. */
export function excerptOf(body: string): string {
  return body.slice(0, MAX_EXCERPT_LENGTH);
}
