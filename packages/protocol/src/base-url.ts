import { describe } from './describe.ts';
import { ConfigError } from './errors/config-error.ts';

const ALLOWED = 'an http or https URL without credentials, query or fragment';

/**
 * Checks a base URL that was given as an option. Returns it normalised, with its path if it has one.
 * Throws a ConfigError that shows the value without parts that may be secret: credentials, query, fragment and the API key.
 */
export function readBaseUrl(option: string, value: unknown, apiKey?: string): string {
  if (value === undefined) throw new ConfigError(option, `${option} is required: ${ALLOWED}`);
  const url = parse(value);
  if (url !== undefined && !url.username && !url.password && !url.search && !url.hash) {
    return url.origin + url.pathname;
  }
  const shown = describe(typeof value === 'string' ? withoutSecrets(value, apiKey) : value);
  throw new ConfigError(option, `${option} must be ${ALLOWED}, got ${shown}`);
}

function parse(value: unknown): URL | undefined {
  try {
    const url = typeof value === 'string' ? new URL(value) : undefined;
    return url && /^https?:$/.test(url.protocol) ? url : undefined;
  } catch {
    return undefined;
  }
}

function withoutSecrets(text: string, apiKey: string | undefined): string {
  const plain = text.replace(/[^/@]*@/g, '…@').replace(/[?#].*$/s, '…');
  return apiKey === undefined ? plain : plain.replaceAll(apiKey, '…');
}
