// The three forms of an HTTP date (RFC 9110, section 5.6.7). `Date.parse` alone takes much else: `1.5` is a day of 2001
// to it, and `soon 2099` a year.
const DATE = /^[A-Z][a-z]{2,8}, \d{2}[ -][A-Z][a-z]{2}[ -]\d{2,4} \d{2}:\d{2}:\d{2} GMT$/;
const ASCTIME_DATE = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/;

/**
 * The delay that a `Retry-After` header asks for, in milliseconds, from its seconds or its HTTP date.
 * Undefined where there is none, or none that makes sense: not a number or date, zero, negative, or in the past.
 * Not capped: a service can ask for a century.
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
