/** Stands for an unknown user in the text of an event. No event may have it as its correlationValue. */
export const UNIDENTIFIED = '';

/** The first match is the property itself: inside a JSON string, each quote has a backslash before it. */
const MARK = ',"correlationValue":"';
const SESSION_MARK = '{"session":"';

/** Puts a user into the text of an event that names none. Every other byte stays the same, and every other text. */
export function identified(text: string, correlationValue: string): string {
  const at = text.indexOf(MARK) + MARK.length;
  return text[at] === '"'
    ? text.slice(0, at - 1) + JSON.stringify(correlationValue) + text.slice(at + 1)
    : text;
}

/** Adds the id of a session to the text of an event, for storage. */
export function inSession(text: string, session: string): string {
  return `${SESSION_MARK}${session}",${text.slice(1)}`;
}

/** Removes the id of the session from a stored text; undefined if it belongs to another session. */
export function outOfSession(text: string, session: string): string | undefined {
  const start = `${SESSION_MARK}${session}",`;
  return text.startsWith(start) ? `{${text.slice(start.length)}` : undefined;
}
