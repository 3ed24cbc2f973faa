import { describe, expect, it } from 'vitest';
import { cache } from '../src/cache.ts';
import { concurrency } from '../src/concurrency.ts';
import { ConfigError, createCustomerReader } from '../src/index.ts';

const GOOD = { apiUrl: 'http://127.0.0.1:4200', apiKey: 'canary-5f2d' };

function errorOf(options: unknown): ConfigError {
  try {
    createCustomerReader(options as Parameters<typeof createCustomerReader>[0]);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error('expected a ConfigError');
}

describe('options', () => {
  it('may be left out but for the address and the key, or be undefined', () => {
    createCustomerReader(GOOD);
    createCustomerReader({ ...GOOD, timeoutMs: undefined, cache: undefined, fetch: undefined });
  });

  it('may be at their bounds', () => {
    // In a browser, these are not built in.
    const parts = { cache, concurrency };
    createCustomerReader({ ...GOOD, concurrency: 1, parts });
    createCustomerReader({ ...GOOD, timeoutMs: 1, retries: 0, maxRetryAfterMs: 0, maxResponseBytes: 1 });
    createCustomerReader({
      ...GOOD,
      timeoutMs: 2 ** 31 - 1,
      cache: { ttlMs: 1, maxEntries: 1, maxBytes: 1 },
      parts,
    });
    createCustomerReader({ apiUrl: 'HTTPS://example.com/a/b//', apiKey: '!~' });
  });

  it.each<[unknown, string]>([
    [undefined, 'options must be an object, got nothing'],
    [null, 'options must be an object, got null'],
    ['http://x', 'options must be an object, got a string'],
  ])('must be an object (%#)', (options, message) => {
    expect(errorOf(options)).toMatchObject({ message, option: 'options', code: 'SLUICE_CONFIG' });
  });

  it('that are unknown are named, with those there are', () => {
    expect(errorOf({ ...GOOD, timeout: 5 }).message).toMatch(
      /^timeout is not an option; there are apiUrl, apiKey, timeoutMs, /,
    );
    const nested = errorOf({ ...GOOD, cache: { ttlMs: 5, max: 5 } });
    expect(nested.option).toBe('cache.max');
    expect(nested.message).toBe('cache.max is not an option; there are ttlMs, maxEntries, maxBytes');
  });

  it.each([
    ['an option', { timeoutMs: GOOD.apiKey }],
    ['a group', { cache: GOOD.apiKey }],
    ['the name of an option', { [GOOD.apiKey]: 1 }],
  ])('show no key that is in the place of %s', (_, options) => {
    const { message, option, stack } = errorOf({ ...GOOD, ...options });
    expect([message, option, stack].join()).not.toContain('canary');
  });

  const wholeNumbers: [string, number, number][] = [
    ['timeoutMs', 1, 2 ** 31 - 1],
    ['retries', 0, 1000],
    ['concurrency', 1, 1_000_000],
    ['maxRetryAfterMs', 0, 86_400_000],
    ['maxResponseBytes', 1, Number.MAX_SAFE_INTEGER],
  ];
  it.each(wholeNumbers)('%s must be a whole number from %d to %d', (option, min, max) => {
    const rule = `${option} must be a whole number from ${min} to ${max}, got`;
    for (const value of [min - 1, Number.NaN, Infinity, 1.5]) {
      expect(errorOf({ ...GOOD, [option]: value }).message).toBe(`${rule} number ${value}`);
    }
    expect(errorOf({ ...GOOD, [option]: '5' }).message).toBe(`${rule} string "5"`);
    expect(errorOf({ ...GOOD, [option]: null }).message).toBe(`${rule} null`);
    expect(errorOf({ ...GOOD, [option]: max + 1 }).option).toBe(option);
  });

  it.each<[object, string, string]>([
    [{ cache: true }, 'cache', 'cache must be an object, got boolean true'],
    [
      { cache: {} },
      'cache.ttlMs',
      'cache.ttlMs must be a whole number from 1 to 9007199254740991, got nothing',
    ],
    [
      { cache: { ttlMs: 5, maxEntries: 0 } },
      'cache.maxEntries',
      'cache.maxEntries must be a whole number from 1 to 9007199254740991, got number 0',
    ],
    [
      { cache: { ttlMs: 5, maxBytes: 1.5 } },
      'cache.maxBytes',
      'cache.maxBytes must be a whole number from 1 to 9007199254740991, got number 1.5',
    ],
    [{ parts: { cache: true } }, 'parts.cache', 'parts.cache must be a function, got boolean true'],
    [{ fetch: 'fetch' }, 'fetch', 'fetch must be a function, got string "fetch"'],
    [{ isNotFound: 404 }, 'isNotFound', 'isNotFound must be a function, got number 404'],
    [{ random: 0.5 }, 'random', 'random must be a function, got number 0.5'],
    [{ clock: {} }, 'clock', 'clock must be a Clock, got an object'],
    [{ clock: null }, 'clock', 'clock must be a Clock, got null'],
  ])('of the wrong kind are named (%#)', (option, name, message) => {
    expect(errorOf({ ...GOOD, ...option })).toMatchObject({ option: name, message });
  });
});

describe('apiUrl', () => {
  const rule = 'apiUrl must be an http or https URL without credentials, query or fragment, got';

  it.each<[unknown, string]>([
    ['', 'an empty string'],
    ['127.0.0.1:4200', 'string "127.0.0.1:4200"'],
    ['/customers', 'string "/customers"'],
    ['ftp://example.com', 'string "ftp://example.com"'],
    ['javascript:alert(1)', 'string "javascript:alert(1)"'],
    ['http://', 'string "http://"'],
    [new URL('http://example.com'), 'an object'],
  ])('of the wrong kind is named with its value (%#)', (apiUrl, got) => {
    expect(errorOf({ ...GOOD, apiUrl })).toMatchObject({ option: 'apiUrl', message: `${rule} ${got}` });
  });

  it.each([
    'http://user:hidden@example.com',
    'http://hidden@example.com',
    'http://user:hidden@',
    'http://example.com/?token=hidden',
    'http://example.com/#hidden',
    'not a URL but canary-5f2d',
  ])('is shown without what may be a secret: %s', (apiUrl) => {
    const { message } = errorOf({ ...GOOD, apiUrl });
    expect(message).toContain(`${rule} string "`);
    expect(message).not.toMatch(/hidden|canary-5f2d/);
  });

  it('is not shown where the key is in its place', () => {
    const { message } = errorOf({ apiUrl: GOOD.apiKey, apiKey: GOOD.apiUrl });
    expect(message).toBe(`${rule} apiKey`);
  });

  it('is required', () => {
    const { apiUrl: _, ...others } = GOOD;
    expect(errorOf(others).message).toBe(
      'apiUrl is required: an http or https URL without credentials, query or fragment',
    );
  });
});

describe('apiKey', () => {
  it('is required: the error of a missing one gives no advice for a relay', () => {
    const { apiKey: _, ...others } = GOOD;
    const { message } = errorOf(others);
    expect(message).toMatch(
      /^apiKey must be .+, got undefined; give the key that the account's settings show$/,
    );
    expect(message).not.toContain('relay');
  });

  it.each<[unknown, string]>([
    ['', 'none'],
    [' ', 'another one at place 1'],
    ['canary-5f2d\n', 'another one at place 12'],
    ['canary-5f2d\r\nx-injected: 1', 'another one at place 12'],
    ['canary-5f2dé', 'another one at place 12'],
    [undefined, 'undefined'],
    [5_242_424_242, 'number'],
    [['canary-5f2d'], 'object'],
  ])('of the wrong kind is refused without its value (%#)', (apiKey, got) => {
    const error = errorOf({ ...GOOD, apiKey });
    expect(error).toMatchObject({
      option: 'apiKey',
      message: `apiKey must be visible ASCII characters, got ${got}; give the key that the account's settings show`,
    });
    expect(JSON.stringify(error) + error.stack).not.toMatch(/canary-5f2d|5242424242/);
  });
});
