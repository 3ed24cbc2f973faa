const VISIBLE_ASCII = /^[\x21-\x7e]+$/;

/** Whether an API key can stand in a header: visible ASCII characters, at least one, no blanks or line breaks. */
export function isApiKey(value: unknown): value is string {
  return typeof value === 'string' && VISIBLE_ASCII.test(value);
}

/** The value of the `Authorization` header (section 5). */
export function authorization(apiKey: string): string {
  return `Api-Key ${apiKey}`;
}

/** The headers of both endpoints (section 4). Without a key, no `Authorization`: a relay in front holds it. */
export function requestHeaders(apiKey: string | undefined): Record<string, string> {
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  if (apiKey !== undefined) headers.authorization = authorization(apiKey);
  return headers;
}
