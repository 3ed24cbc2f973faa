import { CUSTOMER_READ_PATH, endpoint } from '@sluice/protocol';
import {
  type Clock,
  isNonEmptyString,
  type Redact,
  readApiKey,
  readBaseUrl,
  systemClock,
} from '@sluice/protocol/toolbox';
import { platform } from '#platform';
import type { CacheOptions } from './cache.ts';
import type { Limit } from './concurrency.ts';
import { missingPart, type Parts } from './platform/parts.ts';
import type { Fetch } from './platform/platform.ts';

/** The answer of the service that `isNotFound` receives. It is not called for redirects. */
export interface CustomerAnswer {
  /** HTTP status. */
  readonly status: number;
  /** The text of the body. Empty if the body was larger than `maxResponseBytes`. */
  readonly body: string;
  /** The parsed body if it is JSON, otherwise undefined. */
  readonly json: unknown;
}

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
  /**
   * Maximum number of requests at once, and so of connections to the service. The other reads wait for their turn, in the order in
   * which they came; this wait does not count towards `timeoutMs`. Default 32; on the edge, no limit. In a page, the browser has its
   * own limit, and this option needs the part `concurrency`.
   */
  readonly concurrency?: number | undefined;
  /** The longest `Retry-After` that the reader waits for, in milliseconds. A longer one ends the read. Default 60,000. */
  readonly maxRetryAfterMs?: number | undefined;
  /** The largest body that the reader accepts, in bytes after decompression. Default 1,048,576. */
  readonly maxResponseBytes?: number | undefined;
  /** Keeps customers in memory for some time. Off by default. In a page, this needs the part `cache`. */
  readonly cache?: CacheOptions | undefined;
  /**
   * Whether an answer means "no such customer". May be asynchronous; its time counts towards `timeoutMs`. If it throws or rejects,
   * so does the read. Default: status 404, unless the body is a web page (HTML, XML): then `apiUrl` is wrong.
   */
  readonly isNotFound?: ((answer: CustomerAnswer) => boolean | PromiseLike<boolean>) | undefined;
  /** Sends the requests. Default: undici's `fetch` in Node, the global `fetch` elsewhere. */
  readonly fetch?: Fetch | undefined;
  /** The source of time. Default: the system clock. */
  readonly clock?: Clock | undefined;
  /** Returns numbers in [0, 1) for the jitter of retries. Default: `Math.random`. */
  readonly random?: (() => number) | undefined;
  /** Optional code that a page imports. In Node and on the edge, all of it is built in. */
  readonly parts?: Parts | undefined;
}

/** The options that have no default. */
type Optional = 'cache' | 'isNotFound';

/** Complete options. */
export interface Settings
  extends Own<Required<Omit<CustomerReaderOptions, Optional | 'apiUrl' | 'concurrency'>>>,
    Own<Pick<CustomerReaderOptions, Optional>> {
  readonly url: string;
  readonly limit: Limit;
  readonly redact: Redact;
}

/** Without what is undefined. */
type Own<Options> = { [Name in keyof Options]: Exclude<Options[Name], undefined> };

/** Fills in the defaults. Throws a `ConfigError` that names the first option that is wrong. */
export function readSettings(options: CustomerReaderOptions): Settings {
  const given = own(options);
  // Without a key, there is nothing to redact: no message has a line break.
  const redact = platform.redactor(isNonEmptyString(given.apiKey) ? given.apiKey : '\n');
  const parts: Parts = own({ ...given.parts, ...platform.parts });
  // A shorter key is in any text.
  parts.checked?.(options, Object(given.apiKey).length > 3 ? redact : String);
  for (const name of ['cache', 'concurrency'] as const) if (given[name] && !parts[name]) missingPart(name);
  const apiKey = readApiKey(given.apiKey, "give the key that the account's settings show");
  return own({
    timeoutMs: 10_000,
    retries: 3,
    maxRetryAfterMs: 60_000,
    maxResponseBytes: 1_048_576,
    fetch: platform.fetch,
    clock: systemClock,
    random: Math.random,
    ...given,
    apiKey,
    url: endpoint(readBaseUrl('apiUrl', given.apiUrl, apiKey), CUSTOMER_READ_PATH),
    parts,
    limit: parts.concurrency?.(given.concurrency) ?? ((_signal, work) => work()),
    redact,
  });
}

/** A copy without what is undefined. It inherits nothing: what a page added to Object.prototype is no option. */
function own<Options extends object>(options: Options): Own<Options> {
  const entries = Object.entries(options ?? {}).filter(([, value]) => value !== undefined);
  // The cast is safe: these are its entries.
  return { __proto__: null, ...Object.fromEntries(entries) } as unknown as Own<Options>;
}
