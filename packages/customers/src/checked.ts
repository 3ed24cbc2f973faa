import { ConfigError } from '@sluice/protocol';
import {
  ANYTHING,
  aFunction,
  hasMethods,
  MAX_TIMER_MS,
  type Rule,
  readRules,
  refusal,
  whole,
} from '@sluice/protocol/toolbox';
import type { CacheOptions } from './cache.ts';
import type { ReadOptions } from './customer-reader.ts';
import type { CustomerReaderOptions } from './options.ts';
import type { CheckedPart, Parts } from './platform/parts.ts';

const NUMBER = whole(undefined, 1, Number.MAX_SAFE_INTEGER);
const MAX_RETRY_AFTER_MS = 86_400_000;

/** Rules by option name. An option that is added to the type but not here does not compile. */
const RULES: Readonly<Record<Exclude<keyof CustomerReaderOptions, 'cache' | 'parts'>, Rule>> & {
  readonly cache: Readonly<Record<keyof CacheOptions, Rule>>;
  readonly parts: Readonly<Record<keyof Parts, Rule>>;
} = {
  // Every reader checks these two.
  apiUrl: ANYTHING,
  apiKey: ANYTHING,
  timeoutMs: whole(undefined, 1, MAX_TIMER_MS),
  retries: whole(undefined, 0, 1_000),
  concurrency: whole(undefined, 1, 1_000_000),
  maxRetryAfterMs: whole(undefined, 0, MAX_RETRY_AFTER_MS),
  maxResponseBytes: NUMBER,
  cache: { ttlMs: NUMBER, maxEntries: NUMBER, maxBytes: NUMBER },
  isNotFound: aFunction(),
  fetch: aFunction(),
  clock: [(value) => hasMethods(value, 'now', 'setTimeout'), 'a Clock'],
  random: aFunction(),
  parts: { cache: aFunction(), checked: aFunction(), concurrency: aFunction(), schema: aFunction() },
};

const READ: Readonly<Record<keyof ReadOptions, Rule>> = {
  signal: [(value) => hasMethods(value, 'addEventListener', 'throwIfAborted'), 'an AbortSignal'],
  // The part of this name checks it.
  schema: ANYTHING,
};

/**
 * For pages. Elsewhere, and in development builds of a page, this is built in.
 * @example createCustomerReader({ ...options, parts: { checked } });
 */
export const checked: CheckedPart = (options, redact, isRead) => {
  try {
    readRules(isRead ? READ : RULES, '', options);
    // The cast is safe: the rules hold. Options of a read have no cache.
    const { cache } = options as CustomerReaderOptions;
    if (cache && !cache.ttlMs) throw refusal('cache.ttlMs', NUMBER[1], undefined);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new ConfigError(redact(error.option), redact(error.message));
  }
};
