/**
 * The delay that a `Retry-After` header asks for, in milliseconds, from its seconds or its HTTP date.
 * Undefined where there is none, or none that makes sense: not a number or date, negative, or in the past.
 */
export function parseRetryAfter(header: string | null | undefined, nowMs: number): number | undefined {
  const text = header?.trim();
  if (text === undefined || text === '') return undefined;
  const delayMs = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - nowMs;
  return Number.isFinite(delayMs) && delayMs > 0 ? delayMs : undefined;
}
