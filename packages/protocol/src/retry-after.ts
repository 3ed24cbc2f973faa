// Of the form of an HTTP date (RFC 9110, section 5.6.7). `Date.parse` alone accepts too much: it reads `1.5` as a day of 2001, and
// `soon 2099` as a year.
const DATE = /^[A-Z][a-z]{2,8},? [ \w-]+ \d\d:\d\d:\d\d (?:GMT|\d{4})$/;

/**
 * The delay that a `Retry-After` header asks for, in milliseconds. The header holds seconds or an HTTP date.
 * Undefined if there is no header, or if its value is not a number or date, is zero or negative, or is in the past.
 * Has no upper limit: a service can ask for a century.
 *
 * @param date The `Date` header of the same answer, if it has one. Dates count from it, because the clock here may be wrong.
 * @example parseRetryAfter('120', Date.now()); // 120000
 */
export function parseRetryAfter(
  header: string | null | undefined,
  nowMs: number,
  date?: string | null,
): number | undefined {
  const text = header?.trim() ?? '';
  const start = parseHttpDate(date) || nowMs;
  const delayMs = /^\d+$/.test(text) ? Number(text) * 1000 : parseHttpDate(text) - start;
  return delayMs > 0 && delayMs < Number.POSITIVE_INFINITY ? delayMs : undefined;
}

/** The time of an HTTP date, in milliseconds since 1970. NaN if it is none. */
export function parseHttpDate(header: string | null | undefined): number {
  const text = header?.trim() ?? '';
  // The form of C's `asctime` names no zone: it is GMT too.
  return DATE.test(text) ? Date.parse(text.replace(/\d{4}$/, '$& GMT')) : Number.NaN;
}
