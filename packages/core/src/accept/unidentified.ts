/** Stands in an event's text for the user that is not known yet. No event may have it as its correlationValue. */
export const UNIDENTIFIED = '';

/** Stands first where it stands outside of all strings: within one, a quote has a backslash before it. */
const MARK = ',"correlationValue":"';
const SESSION_MARK = '{"session":"';

/** The text of an event that names no user, with one: all else stays as it is, to the byte. */
export function identified(text: string, correlationValue: string): string {
  const at = text.indexOf(MARK) + MARK.length;
  return text.slice(0, at - 1) + JSON.stringify(correlationValue) + text.slice(at + 1);
}

/** A text as it is stored: it says to which session it belongs. */
export function inSession(text: string, session: string): string {
  return `${SESSION_MARK}${session}",${text.slice(1)}`;
}

/** The event of a stored text where that is of a session; undefined where it is not. */
export function outOfSession(text: string, session: string): string | undefined {
  const start = `${SESSION_MARK}${session}",`;
  return text.startsWith(start) ? `{${text.slice(start.length)}` : undefined;
}
