import { describe } from './describe.ts';
import { ConfigError } from './errors/config-error.ts';

const ALLOWED = 'an http or https URL without credentials, query or fragment';

/**
 * A base address of the service as given in an option: normalised, with the path it may have. Throws a ConfigError that
 * shows the value, but for what may be a secret at the wrong place: credentials, a query, a fragment, or the key itself.
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
