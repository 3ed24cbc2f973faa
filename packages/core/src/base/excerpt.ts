/** How much of an answer is shown and kept, in characters. */
export const MAX_EXCERPT_LENGTH = 1024;

/** What is shown and kept of an answer: its start. */
export function excerptOf(body: string): string {
  return body.slice(0, MAX_EXCERPT_LENGTH);
}
