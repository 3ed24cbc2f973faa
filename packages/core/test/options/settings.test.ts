import { ConfigError } from '@sluice/protocol';
import { systemClock } from '@sluice/protocol/toolbox';
import { describe, expect, it } from 'vitest';
import { platform } from '#platform';
import { MemoryJournal } from '../../src/keep/memory-journal.ts';
import type { TrackerOptions } from '../../src/options/options.ts';
import { readOptions as readFor, type Settings } from '../../src/options/settings.ts';
import type { Transport } from '../../src/send/http/transport.ts';

const KEY = 'canary-key-5f1d';
const GOOD = { baseUrl: 'https://example.com', apiKey: KEY, correlationKey: 'email' };

const isPage = 'document' in globalThis;

const readOptions = (options: TrackerOptions): Settings => readFor(options, platform);

/** Reads options that may have wrong types. */
function read(changes: Readonly<Record<string, unknown>> = {}): Settings {
  return readOptions({ ...GOOD, ...changes } as TrackerOptions);
}

/** The ConfigError that readOptions() throws for these options. */
function refusal(options: unknown): ConfigError {
  try {
    readOptions(options as TrackerOptions);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error('the options were not refused');
}

/** The error for one wrong option among good ones. */
function refusalOf(option: string, value: unknown): ConfigError {
  const [first = '', second] = option.split('.');
  return refusal({ ...GOOD, [first]: second === undefined ? value : { [second]: value } });
}

const SIZES = [
  ...['buffer.maxEvents', 'buffer.maxBytes', 'batch.maxEvents', 'batch.maxBytes'],
  ...['delivery.maxConcurrency', 'delivery.timeoutMs', 'delivery.retryBaseMs', 'delivery.retryMaxMs'],
  ...['advanced.connectTimeoutMs', 'advanced.headersTimeoutMs', 'advanced.bodyTimeoutMs'],
];
const WAITS = ['commitIntervalMs', 'batch.maxWaitMs'];
/** The smallest and the largest allowed value of an option. */
const BOUNDS: Readonly<Record<string, readonly [least: number, most: number]>> = {
  ...Object.fromEntries(SIZES.map((option) => [option, [1, option.endsWith('Ms') ? 2 ** 31 - 1 : 2 ** 31]])),
  ...Object.fromEntries(WAITS.map((option) => [option, [0, 2 ** 31 - 1]])),
  maxEventBytes: [1, 16_777_216],
  'storage.maxBytes': [65_536, Number.MAX_SAFE_INTEGER],
  'storage.minFreeBytes': [0, Number.MAX_SAFE_INTEGER],
  'storage.maxAgeMs': [1, Number.MAX_SAFE_INTEGER],
  'deadLetters.maxBytes': [65_536, Number.MAX_SAFE_INTEGER],
  'deadLetters.maxAgeMs': [1, Number.MAX_SAFE_INTEGER],
  'unidentified.maxBytes': [65_536, Number.MAX_SAFE_INTEGER],
  'unidentified.maxAgeMs': [1, Number.MAX_SAFE_INTEGER],
};

describe('readOptions', () => {
  it('fills in what was left out', () => {
    expect(readOptions({ baseUrl: 'https://example.com/', correlationKey: 'email' })).toEqual({
      baseUrl: 'https://example.com/',
      apiKey: undefined,
      correlationKey: 'email',
      source: 'custom',
      journal: undefined,
      journalDirectory: undefined,
      commitIntervalMs: platform.commitIntervalMs,
      maxEventBytes: 262_144,
      buffer: { maxEvents: Number.POSITIVE_INFINITY, maxBytes: 67_108_864 },
      storage: {
        maxBytes: undefined,
        minFreeBytes: 67_108_864,
        whenFull: 'drop-oldest',
        maxAgeMs: undefined,
      },
      batch: { maxEvents: Number.POSITIVE_INFINITY, maxBytes: platform.batchBytes, maxWaitMs: 1_000 },
      deadLetters: { maxBytes: 16_777_216, maxAgeMs: 30 * 24 * 3_600_000 },
      unidentified: { hold: platform.holdsUnidentified, maxBytes: 4_194_304, maxAgeMs: 30 * 24 * 3_600_000 },
      consent: 'granted',
      isOrdered: false,
      ordering: 'unordered',
      delivery: {
        maxConcurrency: 32,
        timeoutMs: 60_000,
        retryBaseMs: 500,
        retryMaxMs: 60_000,
        policy: {},
        headers: {},
        credentials: 'omit',
        classify: undefined,
        idempotencyHeader: undefined,
      },
      advanced: { connectTimeoutMs: 10_000, headersTimeoutMs: 30_000, bodyTimeoutMs: 5_000 },
      parts: platform.parts,
      waitUntil: undefined,
      logger: undefined,
      transport: undefined,
      clock: systemClock,
      random: Math.random,
    });
  });

  it('takes what was given', () => {
    const given = {
      ...{ baseUrl: 'http://127.0.0.1:4100/base', apiKey: KEY, correlationKey: 'id', source: 'mobile' },
      ...{ journalDirectory: '/var/lib/app', fsync: 'always', commitIntervalMs: 0, maxEventBytes: 1 },
      buffer: { maxEvents: 1, maxBytes: 2 ** 31 },
      storage: { maxBytes: 65_536, minFreeBytes: 0, whenFull: 'drop-newest', maxAgeMs: 1 },
      batch: { maxEvents: 2, maxBytes: 3, maxWaitMs: 0 },
      deadLetters: { maxBytes: 65_537, maxAgeMs: 1 },
      unidentified: { hold: true, maxBytes: 65_538, maxAgeMs: 2 },
      consent: 'pending',
      ordering: 'strict',
      leaving: 'once',
      compress: true,
      transport: { post: () => new Promise(() => {}), close: async () => {} } as Transport,
      advanced: { connectTimeoutMs: 7, headersTimeoutMs: 8, bodyTimeoutMs: 9 },
    } satisfies TrackerOptions;
    const delivery = {
      ...{
        maxConcurrency: 5,
        timeoutMs: 6,
        retryBaseMs: 7,
        retryMaxMs: 8,
        policy: { '409': 'accept' },
        classify: () => [],
      },
      idempotencyHeader: 'Idempotency-Key',
      headers: { 'X-Tenant': 'acme', cookie: 'session=1; theme=dark' },
    } satisfies TrackerOptions['delivery'];
    const settings = readOptions({ ...given, delivery });
    expect(settings).toMatchObject({ ...given, delivery });
  });

  it('takes an option that is undefined for one that is absent', () => {
    const { apiKey: _, ...others } = GOOD;
    const absent = Object.fromEntries(
      ['source', 'journal', 'fsync', 'buffer', 'storage', 'batch', 'delivery', 'logger'].map((name) => [
        name,
        undefined,
      ]),
    );
    expect(read({ ...absent, buffer: { maxEvents: undefined } })).toEqual(read());
    const storage = {
      maxBytes: undefined,
      minFreeBytes: undefined,
      whenFull: undefined,
      maxAgeMs: undefined,
    };
    expect(read({ storage })).toEqual(read());
    expect(readOptions({ ...others, ...absent })).toEqual(readOptions(others));
  });

  it('leaves the options that it was given alone', () => {
    const given = { ...GOOD, batch: { maxEvents: 7 } };
    const before = structuredClone(given);
    readOptions(given);
    expect(given).toEqual(before);
  });

  it('takes a journal of the memory, or one of the user', () => {
    const journal = new MemoryJournal(100);
    expect(read({ journal }).journal).toBe(journal);
    expect(read({ journal: 'memory' }).journal).toBe('memory');
  });
});

describe('baseUrl', () => {
  it.each([
    ['http://127.0.0.1:4100', 'http://127.0.0.1:4100/'],
    ['https://example.com/', 'https://example.com/'],
    ['https://example.com/eu/v2', 'https://example.com/eu/v2'],
    ['HTTPS://Example.COM:443/Eu/', 'https://example.com/Eu/'],
    ['http://[::1]:4100', 'http://[::1]:4100/'],
    ['https://exämple.com', 'https://xn--exmple-cua.com/'],
    ['https://example.com/a b', 'https://example.com/a%20b'],
  ])('may be %s', (given, expected) => {
    expect(read({ baseUrl: given }).baseUrl).toBe(expected);
  });

  it.each<[unknown, string]>([
    ['', 'an empty string'],
    ['example.com', 'string "example.com"'],
    ['/api', 'string "/api"'],
    ['http://', 'string "http://"'],
    ['ftp://example.com', 'string "ftp://example.com"'],
    ['file:///etc/passwd', 'string "file:///etc/passwd"'],
    ['javascript:alert(1)', 'string "javascript:alert(1)"'],
    ['http://example.com:99999', 'string "http://example.com:99999"'],
    [null, 'null'],
    [7, 'number 7'],
    [['http://example.com'], 'an array'],
  ])('must be a URL of http or https: case %#', (value, shown) => {
    const { option, message } = refusalOf('baseUrl', value);
    expect(option).toBe('baseUrl');
    expect(message).toBe(
      `baseUrl must be an http or https URL without credentials, query or fragment, got ${shown}`,
    );
  });

  it.each(['https://example.com/?a=1', 'https://example.com/#top', 'https://example.com/x?a#b'])(
    'must have no query and no fragment: %s',
    (value) => {
      const { option, message } = refusalOf('baseUrl', value);
      expect(option).toBe('baseUrl');
      expect(message).toMatch(/without credentials, query or fragment/);
    },
  );

  it.each(['https://example.com/?', 'https://example.com/v1#', 'https://example.com/v1?#'])(
    'has no mark of an empty query or fragment left, behind which a path would be lost: %s',
    (value) => {
      expect(read({ baseUrl: value }).baseUrl).toMatch(/^https:\/\/example\.com\/(v1)?$/);
    },
  );

  it.each([
    ...['https://ada:hunter2@example.com', 'https://hunter2@example.com', 'ftp://ada:hunter2@example.com'],
    ...['http://ada:hunter2@example.com:99999', 'http://ada:hunter2@'],
  ])('must have no credentials, and they are not shown: case %#', (value) => {
    const { option, message } = refusalOf('baseUrl', value);
    expect(option).toBe('baseUrl');
    expect(message).not.toContain('hunter2');
    expect(message).toMatch(/without credentials/);
  });

  it('is required', () => {
    const { option, message } = refusal({ correlationKey: 'email' });
    expect(option).toBe('baseUrl');
    expect(message).toMatch(/^baseUrl is required: an http or https URL/);
  });
});

describe('apiKey', () => {
  it('may be left out', () => {
    const { apiKey: _, ...others } = GOOD;
    expect(readOptions(others).apiKey).toBeUndefined();
  });

  it('may be any visible ASCII characters', () => {
    const key = Array.from({ length: 0x7e - 0x20 }, (_, index) => String.fromCharCode(0x21 + index)).join('');
    expect(read({ apiKey: key }).apiKey).toBe(key);
  });

  it('is not taken for left out where it is there and undefined, as a variable that is not set', () => {
    const { option, message } = refusalOf('apiKey', undefined);
    expect(option).toBe('apiKey');
    expect(message).toMatch(/got undefined; leave it out if/);
  });

  it.each<[string, unknown]>([
    ['an empty string', ''],
    ['a line break', `${KEY}\n`],
    ['a header smuggled in', `${KEY}\r\nx: y`],
    ['a blank', `${KEY} `],
    ['a tab', `\t${KEY}`],
    ['a NUL', `${KEY}\0`],
    ['a letter that is not ASCII', `${KEY}é`],
    ['a DEL', `${KEY}\x7f`],
    ['null', null],
    ['a number', 7],
    ['an object that shows it', { toString: () => KEY }],
    ['a list', [KEY]],
  ])('must be one, and is not shown: %s', (_, value) => {
    const error = refusalOf('apiKey', value);
    expect(error.option).toBe('apiKey');
    expect(error.message).toMatch(/^apiKey must be visible ASCII characters/);
    for (const text of [error.message, String(error.stack), JSON.stringify(error), String(error.cause)]) {
      expect(text).not.toContain(KEY);
    }
  });

  it.each<[string, unknown]>([
    ['in place of the options', KEY],
    ['in the query of the base URL', { ...GOOD, baseUrl: `https://example.com/?key=${KEY}` }],
    ['in the fragment of the base URL', { ...GOOD, baseUrl: `https://example.com/#${KEY}` }],
    ['under a name that there is not', { ...GOOD, apikey: KEY }],
    ['beside another option that is wrong', { ...GOOD, batch: 7 }],
  ])('is not shown where it stands %s', (_, options) => {
    const error = refusal(options);
    for (const text of [error.message, String(error.stack), JSON.stringify(error)]) {
      expect(text).not.toContain(KEY);
    }
  });
});

describe('a wrong option', () => {
  it.each(Object.entries(BOUNDS))(
    '%s: names itself, its value and what is allowed',
    (option, [least, most]) => {
      const values: [unknown, string][] = [
        [least - 1, `number ${least - 1}`],
        [-5, 'number -5'],
        [1.5, 'number 1.5'],
        [most + 1, `number ${most + 1}`],
        [Number.NaN, 'number NaN'],
        [Number.POSITIVE_INFINITY, 'number Infinity'],
        ['100', 'string "100"'],
        [100n, 'a bigint'],
        [null, 'null'],
        [true, 'boolean true'],
        [[100], 'an array'],
      ];
      for (const [value, shown] of values) {
        const error = refusalOf(option, value);
        expect(error.option).toBe(option);
        expect(error.message).toBe(`${option} must be a whole number from ${least} to ${most}, got ${shown}`);
      }
    },
  );

  it.each<[string, unknown, string, string]>([
    ['correlationKey', '', 'a non-empty string', 'an empty string'],
    ['correlationKey', null, 'a non-empty string', 'null'],
    ['correlationKey', 7, 'a non-empty string', 'number 7'],
    ['source', '', 'a non-empty string', 'an empty string'],
    ['source', ['custom'], 'a non-empty string', 'an array'],
    ['journal', 'disk', '"memory" or a Journal', 'string "disk"'],
    ['journal', {}, '"memory" or a Journal', 'an object'],
    ['journal', null, '"memory" or a Journal', 'null'],
    ['journal', () => 1, '"memory" or a Journal', 'a function'],
    ['storage.whenFull', 'drop-all', '"drop-oldest" or "drop-newest"', 'string "drop-all"'],
    ['storage.whenFull', null, '"drop-oldest" or "drop-newest"', 'null'],
    ['storage', 65_536, 'an object', 'number 65536'],
    ['storage', 'drop-oldest', 'an object', 'string "drop-oldest"'],
    ['logger', {}, 'false or a logger', 'an object'],
    ['logger', true, 'false or a logger', 'boolean true'],
    ['logger', { debug: 1, info: 1, warn: 1, error: 1 }, 'false or a logger', 'an object'],
    ['transport', { post: () => 1 }, 'an object with post, close', 'an object'],
    ['buffer', 7, 'an object', 'number 7'],
    ['buffer', null, 'an object', 'null'],
    ['batch', [], 'an object', 'an array'],
    ['delivery', 'fast', 'an object', 'string "fast"'],
  ])('%s: names itself, its value and what is allowed (case %#)', (option, value, allowed, shown) => {
    const error = refusalOf(option, value);
    expect(error.option).toBe(option);
    expect(error.message).toContain(`${option} must be ${allowed}`);
    expect(error.message.endsWith(`, got ${shown}`)).toBe(true);
  });

  it('is a journal without the limit that the tracker needs of it', () => {
    const method = async (): Promise<void> => {};
    const methods = {
      open: method,
      append: method,
      read: method,
      acknowledge: method,
      sync: method,
      close: method,
    };
    expect(refusalOf('journal', methods).option).toBe('journal');
  });

  it.each<[string, unknown]>([
    ['authorization', { Authorization: KEY }],
    ['Content-Length', { 'x-tenant': 'acme', 'Content-Length': KEY }],
    ['content-type', { 'content-type': KEY }],
    ['content-encoding', { 'content-encoding': KEY }],
    ['HOST', { HOST: KEY }],
    ['no name', { 'no name': KEY }],
    ['', { '': KEY }],
    ['x-line', { 'x-line': `${KEY}\r\nx-other: 1` }],
    ['x-umlaut', { 'x-umlaut': `${KEY}ä` }],
    ['x-list', { 'x-list': [KEY] }],
    ['x-none', { 'x-none': undefined }],
  ])(
    'is a header that is not free or not legal: it names it, and does not show its value: %s',
    (name, headers) => {
      const error = refusalOf('delivery.headers', headers);
      expect(error.option).toBe('delivery.headers');
      expect(error.message).toMatch(
        /^delivery\.headers must (be ASCII headers that Sluice does not send itself|have ASCII text as "x-\w+"), got /,
      );
      expect(error.message.toLowerCase()).toContain(name.toLowerCase() || 'an empty string');
      expect(JSON.stringify([error.message, error.stack])).not.toContain(KEY);
    },
  );

  it.each([[new Headers({ a: KEY })], [new Map([['a', KEY]])], [[['a', KEY]]], [KEY], [null], [7]])(
    'is headers in anything but an object: case %#',
    (headers) => expect(refusalOf('delivery.headers', headers).message).toMatch(/ must be an object, got /),
  );

  it.runIf(isPage).each(['connect', 'dispatcher'])('is one that only Node has, in a page: %s', (name) => {
    const error = refusalOf(`delivery.${name}`, { dispatch: () => true });
    expect(error.message).toBe(`delivery.${name} must be absent, except in Node, got an object`);
  });

  it.runIf(isPage)('is credentials that are none, in a page', () => {
    expect(read({ delivery: { credentials: 'include' } }).delivery.credentials).toBe('include');
    const words = '"omit", "same-origin" or "include"';
    for (const [value, shown] of [
      ['all', 'string "all"'],
      [true, 'boolean true'],
    ])
      expect(refusalOf('delivery.credentials', value).message).toBe(
        `delivery.credentials must be ${words}, got ${shown}`,
      );
  });

  it('is one that is missing', () => {
    const error = refusal({ baseUrl: 'https://example.com' });
    expect(error.option).toBe('correlationKey');
    expect(error.message).toMatch(/^correlationKey is required: the primary key chosen/);
  });

  it.each([
    ['options', { ...GOOD, nonsense: 5 }, 'nonsense', /baseUrl, apiKey, correlationKey/],
    ['delivery', { ...GOOD, delivery: { nonsense: 5 } }, 'delivery.nonsense', /maxConcurrency, maxTries/],
    ['JSON', JSON.parse('{"__proto__":{"source":"mobile"}}'), '__proto__', /baseUrl/],
    ['batch', { ...GOOD, batch: { toString: 5 } }, 'batch.toString', /maxEvents, maxBytes, maxWaitMs/],
    ['long', { ...GOOD, ['baseUrl'.repeat(100_000)]: 5 }, 'baseUrl'.repeat(100_000), /baseUrl, apiKey/],
  ])('is one that there is not, in %s, and those that there are are named', (_, options, option, known) => {
    const error = refusal(options);
    expect(error.option).toBe(option);
    expect(error.message).toMatch(known);
    expect(error.message.startsWith(`${option} is not an option; there are `)).toBe(true);
  });

  it.skipIf(isPage).each([
    [{ baseURL: 'https://example.com' }, 'baseURL', 'did you mean baseUrl?'],
    [{ correlatonKey: 'email' }, 'correlatonKey', 'did you mean correlationKey?'],
    [{ buffer: { maxEvent: 5 } }, 'buffer.maxEvent', 'did you mean buffer.maxEvents?'],
    [{ storage: { maxAge: 5 } }, 'storage.maxAge', 'did you mean storage.maxAgeMs?'],
    [{ batch: { maxWait: 5 } }, 'batch.maxWait', 'did you mean batch.maxWaitMs?'],
    [{ maxEvents: 5 }, 'maxEvents', 'did you mean buffer.maxEvents or batch.maxEvents?'],
    [{ retryMaxMs: 5 }, 'retryMaxMs', 'did you mean delivery.retryMaxMs?'],
    [{ parts: { gzipp: 1 } }, 'parts.gzipp', 'did you mean parts.gzip?'],
    [{ clock: {} }, 'clock', 'give it to createTracker() of @sluice/core/testing'],
    [{ delivery: { bodyTimeoutMs: 5 } }, 'delivery.bodyTimeoutMs', 'did you mean advanced.bodyTimeoutMs?'],
    [{ delivery: { concurrency: 4 } }, 'delivery.concurrency', 'did you mean delivery.maxConcurrency?'],
    [{ writeKey: 'secret' }, 'writeKey', 'the key is apiKey'],
    [{ flushAt: 20 }, 'flushAt', 'it is batch.maxEvents here'],
  ])('is one that there is not, and the one that is meant is named: %j', (options, option, hint) => {
    expect(refusal({ ...GOOD, ...options }).message).toBe(`${option} is not an option; ${hint}`);
  });

  it.skipIf(isPage).each([
    [
      { delivery: { retryBaseMs: 500, retryMaxMs: 100 } },
      'delivery.retryMaxMs (100) must not be less than delivery.retryBaseMs (500)',
    ],
    [
      { delivery: { retryBaseMs: 300_000 } },
      'delivery.retryMaxMs (60000) must not be less than delivery.retryBaseMs (300000)',
    ],
    [
      { context: { app: { id: 1n } } },
      'context.app.id must be a value that JSON can hold, got a bigint; set the option bigint',
    ],
  ])('contradicts another one: case %#', (options, message) => {
    expect(refusal({ ...GOOD, ...options }).message).toBe(message);
  });

  it.each<[unknown, RegExp]>([
    [undefined, /nothing/],
    [null, /null/],
    [[], /array/],
    [7, /number/],
    [() => 1, /function/],
  ])('is options that are none (case %#)', (options, shown) => {
    const error = refusal(options);
    expect(error.option).toBe('options');
    expect(error.message).toMatch(/^options must be an object, got /);
    expect(error.message).toMatch(shown);
  });
});

describe('a number of storage', () => {
  it.each(Object.entries(BOUNDS).filter(([option]) => option.startsWith('storage.')))(
    '%s may be as small and as large as it says',
    (option, bounds) => {
      const name = option.slice('storage.'.length);
      for (const bound of bounds)
        expect(read({ storage: { [name]: bound } }).storage).toMatchObject({ [name]: bound });
    },
  );
});

it('too long a wait counts as the longest one, which is a whole number', () => {
  const { delivery } = readOptions({ ...GOOD, delivery: { retryMaxMs: 2 ** 31 - 1 } });
  expect(Number.isInteger(delivery.retryMaxMs)).toBe(true);
});
