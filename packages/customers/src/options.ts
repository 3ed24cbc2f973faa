import {
  ConfigError,
  CUSTOMER_READ_PATH,
  describe,
  endpoint,
  isApiKey,
  type Redact,
  readBaseUrl,
  redactor,
} from '@sluice/protocol';
import { platformFetch } from '#fetch';
import type { CustomerAnswer } from './answer.ts';
import type { CacheLimits, CacheOptions } from './cache.ts';
import { type Clock, systemClock } from './clock.ts';
import type { Fetch } from './fetch/fetch.ts';

/** How customers are read. */
export interface CustomerReaderOptions {
  /** `{api_url}` of the service: an http(s) URL without credentials, query or fragment; it may have a path. */
  readonly apiUrl: string;
  /** The account's API key: visible ASCII characters. It shows in no error, log or inspection. */
  readonly apiKey: string;
  /** How long one attempt may take, body included, in milliseconds. Default 10,000. */
  readonly timeoutMs?: number | undefined;
  /** How often a read is tried again on 408, 425, 429, 5xx (not 501) and network failures. Default 3. */
  readonly retries?: number | undefined;
  /** The longest `Retry-After` that is waited for, in milliseconds; a longer one ends the read. Default 60,000. */
  readonly maxRetryAfterMs?: number | undefined;
  /** The largest body that is read, in bytes after decompression. Default 1,048,576. */
  readonly maxResponseBytes?: number | undefined;
  /** Keeps customers for a while. Off by default. */
  readonly cache?: CacheOptions | undefined;
  /** Tells the answer that means "no such customer" from others. Default: status 404. */
  readonly isNotFound?: ((answer: CustomerAnswer) => boolean) | undefined;
  /** Sends the requests. Default: undici's fetch in Node, the global one in a browser. */
  readonly fetch?: Fetch | undefined;
  /** Where time comes from. Default: the system. */
  readonly clock?: Clock | undefined;
  /** Numbers in [0, 1) for the jitter of retries. Default: `Math.random`. */
  readonly random?: (() => number) | undefined;
}

/** Options that have been checked, with their defaults. */
export interface Settings {
  readonly url: string;
  readonly apiKey: string;
  readonly timeoutMs: number;
  readonly retries: number;
  readonly maxRetryAfterMs: number;
  readonly maxResponseBytes: number;
  readonly cache: CacheLimits | undefined;
  readonly isNotFound: (answer: CustomerAnswer) => boolean;
  readonly fetch: Fetch;
  readonly clock: Clock;
  readonly random: () => number;
  readonly redact: Redact;
}

const NAMES =
  'apiUrl apiKey timeoutMs retries maxRetryAfterMs maxResponseBytes cache isNotFound fetch clock random'.split(
    ' ',
  );
/** The longest timer: one with a longer delay fires at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;
const MAX_RETRY_AFTER_MS = 86_400_000;

/** Checks options and fills in the defaults. Throws a `ConfigError` that names the first option that is wrong. */
export function readSettings(options: CustomerReaderOptions): Settings {
  checkNames(options, 'options', '', NAMES);
  const { apiUrl, apiKey, timeoutMs = 10_000, retries = 3, maxRetryAfterMs = 60_000 } = options;
  const { maxResponseBytes = 1_048_576, cache, fetch = platformFetch, clock = systemClock } = options;
  const { random = Math.random, isNotFound = ({ status }: CustomerAnswer): boolean => status === 404 } =
    options;
  if (!isApiKey(apiKey)) {
    const rule = 'must be visible ASCII characters, at least one, without blanks or line breaks';
    throw new ConfigError('apiKey', `apiKey ${rule}, got a value of type ${typeof apiKey} that is not shown`);
  }
  const url = endpoint(readBaseUrl('apiUrl', apiUrl, apiKey), CUSTOMER_READ_PATH);
  checkInteger('timeoutMs', timeoutMs, 1, MAX_TIMER_MS);
  checkInteger('retries', retries, 0, 1000);
  checkInteger('maxRetryAfterMs', maxRetryAfterMs, 0, MAX_RETRY_AFTER_MS);
  checkInteger('maxResponseBytes', maxResponseBytes, 1, Number.MAX_SAFE_INTEGER);
  for (const [name, value] of Object.entries({ isNotFound, fetch, random })) {
    if (typeof value !== 'function') fail(name, 'a function', value);
  }
  if (typeof clock?.now !== 'function' || typeof clock.setTimeout !== 'function') {
    fail('clock', 'an object with now() and setTimeout()', clock);
  }
  return {
    ...{
      url,
      apiKey,
      timeoutMs,
      retries,
      maxRetryAfterMs,
      maxResponseBytes,
      fetch,
      clock,
      random,
      isNotFound,
    },
    cache: cache === undefined ? undefined : readCache(cache),
    redact: redactor(apiKey),
  };
}

function readCache(cache: CacheOptions): CacheLimits {
  checkNames(cache, 'cache', 'cache.', ['ttlMs', 'maxEntries']);
  const { ttlMs, maxEntries = 1000 } = cache;
  checkInteger('cache.ttlMs', ttlMs, 1, Number.MAX_SAFE_INTEGER);
  checkInteger('cache.maxEntries', maxEntries, 1, Number.MAX_SAFE_INTEGER);
  return { ttlMs, maxEntries };
}

function checkNames(given: unknown, option: string, prefix: string, names: readonly string[]): void {
  if (typeof given !== 'object' || given === null) fail(option, 'an object', given);
  const unknown = Object.keys(given).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  throw new ConfigError(
    prefix + unknown,
    `unknown option ${prefix}${unknown}; allowed are ${names.join(', ')}`,
  );
}

function checkInteger(option: string, value: unknown, min: number, max: number): void {
  if (Number.isInteger(value) && Number(value) >= min && Number(value) <= max) return;
  fail(option, `a whole number from ${min} to ${max}`, value);
}

function fail(option: string, rule: string, value: unknown): never {
  throw new ConfigError(option, `${option} must be ${rule}, got ${describe(value)}`);
}
