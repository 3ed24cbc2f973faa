// Words as SQLite makes them: letters and digits, without case and marks. Where more than ASCII is in a text, only nearly so.
const WORD = /[\p{L}\p{N}\p{Co}]+/gu;
const MARKS = /\p{Mn}+/gu;

/** The words of a text, in order. */
export function wordsOf(text: string): string[] {
  return text.normalize('NFD').replace(MARKS, '').toLowerCase().match(WORD) ?? [];
}

/** The phrases of what somebody typed: what is between blanks and has a word in it. (U+E000 begins what nobody types.) */
export function phrasesOf(typed: string): string[] {
  return typed.split(/[\s\0\uE000]+/u).filter((phrase) => wordsOf(phrase).length > 0);
}

/** Whether a text of ASCII has each phrase in it; the last one may end in the beginning of a word. */
export function hasPhrases(text: string, phrases: readonly string[]): boolean {
  const words = ` ${wordsOf(text).join(' ')} `;
  return phrases.every((phrase, at) => {
    const wanted = ` ${wordsOf(phrase).join(' ')}`;
    return words.includes(at === phrases.length - 1 ? wanted : `${wanted} `);
  });
}
