import { ConfigError } from './errors/config-error.ts';
import { describe, tried } from './toolbox/describe.ts';

const ALLOWED = 'an http or https URL without credentials, query or fragment';

/**
 * Checks a base URL that was given as an option. Returns it normalised, with its path if it has one.
 *
 * @throws A ConfigError that shows the value without parts that may be secret: credentials, query, fragment and the key.
 * @example readBaseUrl('baseUrl', 'HTTP://Example.com/a/'); // 'http://example.com/a/'
 */
export function readBaseUrl(option: string, value: unknown, apiKey?: unknown): string {
  if (value === undefined) throw new ConfigError(option, `${option} is required: ${ALLOWED}`);
  const baseUrl = baseUrlOf(value);
  if (baseUrl) return baseUrl;
  const shown = describe(typeof value === 'string' ? withoutCredentials(value, apiKey) : value);
  throw new ConfigError(option, `${option} must be ${ALLOWED}, got ${baseUrlOf(apiKey) ? 'apiKey' : shown}`);
}

/** A base URL, normalised, with its path if it has one. Undefined if the value is none. */
export function baseUrlOf(value: unknown): string | undefined {
  const url = tried(() => new URL(typeof value === 'string' ? value : ''));
  const isBase = url && /^https?:$/.test(url.protocol) && !url.username && !url.password;
  return isBase && !url.search && !url.hash ? url.origin + url.pathname : undefined;
}

function withoutCredentials(text: string, apiKey: unknown): string {
  // The key first: it may have characters that end the credentials or begin the query.
  const plain = apiKey ? text.replaceAll(`${apiKey}`, '…') : text;
  return plain.replace(/^(\w+:\/\/)?.*@/s, '$1…@').replace(/[?#].*/s, '…');
}
