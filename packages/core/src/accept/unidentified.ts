/** Stands for an unknown customer in the text of an event. No event may have it as its correlationValue. */
export const UNIDENTIFIED = '';

/** The first match is the property itself: inside a JSON string, each quote has a backslash before it. */
const MARK = ',"correlationValue":"';

/** Puts a customer into the text of an event that names none. Every other byte stays the same, and every other text. */
export function identified(text: string, correlationValue: string): string {
  const at = text.indexOf(MARK) + MARK.length;
  return text[at] === '"'
    ? text.slice(0, at - 1) + JSON.stringify(correlationValue) + text.slice(at + 1)
    : text;
}
