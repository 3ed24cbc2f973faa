import { CUSTOMER_READ_PATH, endpoint, readApiKey, readBaseUrl } from '@sluice/protocol';
import {
  ANYTHING,
  aFunction,
  type Clock,
  hasMethods,
  milliseconds,
  type Redact,
  type Rule,
  readRules,
  refusal,
  systemClock,
  whole,
} from '@sluice/protocol/toolbox';
import { platformFetch, platformRedactor } from '#fetch';
import type { CustomerAnswer } from './answer.ts';
import type { CacheLimits, CacheOptions } from './cache.ts';
import type { Fetch } from './fetch/fetch.ts';

/** Options of `createCustomerReader`. */
export interface CustomerReaderOptions {
  /** `{api_url}` of the service: an http or https URL without credentials, query or fragment. It may have a path. */
  readonly apiUrl: string;
  /** The account's API key: visible ASCII characters. No error, log or inspection shows it. */
  readonly apiKey: string;
  /** Time-out of one attempt, including its body, in milliseconds. Default 10,000. */
  readonly timeoutMs?: number | undefined;
  /** Maximum number of retries of a read, on 408, 425, 429, 5xx (not 501), time-outs and network failures. Default 3. */
  readonly retries?: number | undefined;
  /** The longest `Retry-After` that the reader waits for, in milliseconds. A longer one ends the read. Default 60,000. */
  readonly maxRetryAfterMs?: number | undefined;
  /** The largest body that the reader accepts, in bytes after decompression. Default 1,048,576. */
  readonly maxResponseBytes?: number | undefined;
  /** Keeps customers in memory for some time. Off by default. */
  readonly cache?: CacheOptions | undefined;
  /**
   * Whether an answer means "no such customer". May be asynchronous; its time counts towards `timeoutMs`. If it throws or rejects,
   * so does the read. Default: status 404, unless the body is a web page (HTML, XML): then `apiUrl` is wrong.
   */
  readonly isNotFound?: ((answer: CustomerAnswer) => boolean | PromiseLike<boolean>) | undefined;
  /** Sends the requests. Default: undici's `fetch` in Node, the global `fetch` in a browser. */
  readonly fetch?: Fetch | undefined;
  /** The source of time. Default: the system clock. */
  readonly clock?: Clock | undefined;
  /** Returns numbers in [0, 1) for the jitter of retries. Default: `Math.random`. */
  readonly random?: (() => number) | undefined;
}

/** Checked options, with defaults filled in. */
export interface Settings {
  readonly url: string;
  readonly apiKey: string;
  readonly timeoutMs: number;
  readonly retries: number;
  readonly maxRetryAfterMs: number;
  readonly maxResponseBytes: number;
  readonly cache: CacheLimits | undefined;
  readonly isNotFound: CustomerReaderOptions['isNotFound'];
  readonly fetch: Fetch;
  readonly clock: Clock;
  readonly random: () => number;
  readonly redact: Redact;
}

const MAX_RETRY_AFTER_MS = 86_400_000;

const TTL = whole(undefined, 1, Number.MAX_SAFE_INTEGER);

/** Rules by option name. An option that is added to the type but not here does not compile. */
const RULES: Readonly<Record<Exclude<keyof CustomerReaderOptions, 'cache'>, Rule>> & {
  readonly cache: Readonly<Record<keyof CacheOptions, Rule>>;
} = {
  apiUrl: ANYTHING,
  apiKey: ANYTHING,
  timeoutMs: milliseconds(10_000),
  retries: whole(3, 0, 1_000),
  maxRetryAfterMs: whole(60_000, 0, MAX_RETRY_AFTER_MS),
  maxResponseBytes: whole(1_048_576, 1, Number.MAX_SAFE_INTEGER),
  cache: { ttlMs: TTL, maxEntries: whole(1_000, 1, Number.MAX_SAFE_INTEGER) },
  isNotFound: aFunction(),
  fetch: aFunction(platformFetch),
  clock: [(value) => hasMethods(value, 'now', 'setTimeout'), 'a Clock', systemClock],
  random: aFunction(Math.random),
};

/** Checks options and fills in the defaults. Throws a `ConfigError` that names the first option that is wrong. */
export function readSettings(options: CustomerReaderOptions): Settings {
  // The cast is safe: the rules have the names of the type, and each value passed its rule.
  const settings = readRules(RULES, '', options) as unknown as Settings;
  const apiKey = readApiKey(options.apiKey, "give the key that the account's settings show");
  const cache = options.cache && settings.cache;
  if (cache && !cache.ttlMs) throw refusal('cache.ttlMs', TTL[1], undefined);
  const url = endpoint(readBaseUrl('apiUrl', options.apiUrl, apiKey), CUSTOMER_READ_PATH);
  return { ...settings, url, cache, redact: platformRedactor(apiKey) };
}
