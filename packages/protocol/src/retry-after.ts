// The three forms of an HTTP date (RFC 9110, section 5.6.7). `Date.parse` alone accepts too much: it reads `1.5` as a day of
// 2001, and `soon 2099` as a year.
const DATE = /^[A-Z][a-z]{2,8}, \d{2}[ -][A-Z][a-z]{2}[ -]\d{2,4} \d{2}:\d{2}:\d{2} GMT$/;
const ASCTIME_DATE = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/;

/**
 * The delay that a `Retry-After` header asks for, in milliseconds. The header holds seconds or an HTTP date.
 * Undefined if there is no header, or if its value is not a number or date, is zero or negative, or is in the past.
 * Has no upper limit: a service can ask for a century.
 */
export function parseRetryAfter(header: string | null | undefined, nowMs: number): number | undefined {
  const text = header?.trim() ?? '';
  const delayMs = /^\d+$/.test(text) ? Number(text) * 1000 : parseDate(text) - nowMs;
  return Number.isFinite(delayMs) && delayMs > 0 ? delayMs : undefined;
}

function parseDate(text: string): number {
  if (DATE.test(text)) return Date.parse(text);
  return ASCTIME_DATE.test(text) ? Date.parse(`${text} GMT`) : Number.NaN;
}
