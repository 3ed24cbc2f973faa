// Splits text into words as SQLite does: letters and digits, without case and marks. Beyond ASCII, the result is only nearly the
// same.
const WORD = /[\p{L}\p{N}\p{Co}]+/gu;
const MARKS = /\p{Mn}+/gu;

/** The words of a text, in order. */
export function wordsOf(text: string): string[] {
  return text.normalize('NFD').replace(MARKS, '').toLowerCase().match(WORD) ?? [];
}

/** Splits typed text at blanks into phrases, and leaves out those without a word. (Nobody types U+E000: the index uses it.) */
export function phrasesOf(typed: string): string[] {
  return typed.split(/[\s\0\uE000]+/u).filter((phrase) => wordsOf(phrase).length > 0);
}

/** Whether an ASCII text has every phrase. The last phrase may end with the beginning of a word. */
export function hasPhrases(text: string, phrases: readonly string[]): boolean {
  const words = ` ${wordsOf(text).join(' ')} `;
  return phrases.every((phrase, at) => {
    const wanted = ` ${wordsOf(phrase).join(' ')}`;
    return words.includes(at === phrases.length - 1 ? wanted : `${wanted} `);
  });
}
