import { ConfigError } from './errors/config-error.ts';

const VISIBLE_ASCII = /^[\x21-\x7e]+$/;

/** Whether a value is an API key that a header can hold: one or more visible ASCII characters, no blanks or line breaks. */
export function isApiKey(value: unknown): value is string {
  return typeof value === 'string' && VISIBLE_ASCII.test(value);
}

/**
 * Checks an API key that was given as an option, and returns it.
 *
 * @throws A ConfigError that does not show the value.
 * @param advice What to do, as the end of the message. By default, the key is optional.
 */
export function readApiKey(value: unknown, advice = 'leave it out if a relay holds the key'): string {
  if (isApiKey(value)) return value;
  let got: string = typeof value;
  if (typeof value === 'string') got = value && `another one at place ${value.search(/[^\x21-\x7e]/) + 1}`;
  const rule = `apiKey must be visible ASCII characters, got ${got || 'none'}`;
  throw new ConfigError('apiKey', `${rule}; ${advice}`);
}

/**
 * The request headers of both endpoints (sections 4 and 5). Without a key there is no `Authorization`: a relay adds it.
 *
 * @example await fetch(url, { method: 'POST', headers: requestHeaders(apiKey), body });
 */
export function requestHeaders(apiKey: string | undefined): Record<string, string> {
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  if (apiKey !== undefined) headers.authorization = `Api-Key ${apiKey}`;
  return headers;
}
