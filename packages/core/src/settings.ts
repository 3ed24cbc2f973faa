import { ConfigError, describe, isApiKey, isNonEmptyString, readBaseUrl } from '@sluice/protocol';
import { platform } from '#platform';
import type { WhenFull } from './budget.ts';
import type { Classify } from './classify.ts';
import { type Clock, MAX_TIMER_MS } from './clock.ts';
import { type DeliveryPolicy, readPolicy } from './delivery-policy.ts';
import type { Fsync } from './fsync.ts';
import type { Journal } from './journal.ts';
import type { Logger } from './logger.ts';
import type { Ordering, TrackerOptions } from './options.ts';
import { missingPart, type Parts } from './parts.ts';
import { isThrown, reasonOf } from './reason.ts';
import type { Timeouts, Transport } from './transport.ts';

/** Options, checked and complete. */
export interface Settings {
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  readonly correlationKey: string;
  readonly source: string;
  readonly journal: 'memory' | Journal | undefined;
  readonly journalDirectory: string | undefined;
  readonly fsync: Fsync;
  readonly commitIntervalMs: number | undefined;
  readonly maxEventBytes: number;
  readonly buffer: { readonly maxEvents: number; readonly maxBytes: number };
  readonly storage: {
    readonly maxBytes: number;
    readonly minFreeBytes: number;
    readonly whenFull: WhenFull;
    readonly maxAgeMs: number | undefined;
  };
  readonly deadLetters: { readonly maxBytes: number; readonly maxAgeMs: number };
  readonly batch: { readonly maxEvents: number; readonly maxBytes: number; readonly maxWaitMs: number };
  readonly ordering: Ordering;
  readonly compress: boolean;
  readonly delivery: {
    readonly concurrency: number;
    readonly timeouts: Timeouts;
    readonly retryBaseMs: number;
    readonly retryMaxMs: number;
    readonly retriesPerSuccess: number;
    readonly policy: DeliveryPolicy;
    readonly classify: Classify | undefined;
    readonly idempotencyHeader: string | undefined;
  };
  readonly parts: Parts;
  readonly waitUntil: ((work: Promise<unknown>) => void) | undefined;
  readonly logger: Logger | undefined;
  readonly transport: Transport | undefined;
  readonly clock: Clock | undefined;
  /** Undefined: the platform's. */
  readonly random: (() => number) | undefined;
}

const KIB = 1024;
const MIB = 1024 * KIB;
/** A journal of a few segments. */
const LEAST_JOURNAL_BYTES = 64 * KIB;
const DAY_MS = 24 * 60 * 60_000;
/** RFC 9110, section 5.6.2. */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** What a request has already. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  'authorization',
  'content-type',
  'content-length',
  'content-encoding',
  'host',
]);
/** Code of the application. */
const HOOKS = ['clock', 'random', 'transport', 'logger', 'waitUntil'] as const;
type Group = 'buffer' | 'storage' | 'deadLetters' | 'batch' | 'delivery' | 'parts';
type NamesOf<Options> = Readonly<Record<keyof NonNullable<Options>, true>>;

/** Names of the options, by group. Records, so that an option added to the type and not here does not compile. */
const NAMES: { options: NamesOf<TrackerOptions> } & { [G in Group]: NamesOf<TrackerOptions[G]> } = {
  options: {
    ...{ baseUrl: true, apiKey: true, correlationKey: true, source: true },
    ...{ journal: true, journalDirectory: true, fsync: true, commitIntervalMs: true, maxEventBytes: true },
    ...{ buffer: true, storage: true, deadLetters: true, batch: true, delivery: true },
    ...{ ordering: true, compress: true, waitUntil: true, parts: true },
    ...{ logger: true, transport: true, clock: true, random: true },
  },
  buffer: { maxEvents: true, maxBytes: true },
  storage: { maxBytes: true, minFreeBytes: true, whenFull: true, maxAgeMs: true },
  deadLetters: { maxBytes: true, maxAgeMs: true },
  batch: { maxEvents: true, maxBytes: true, maxWaitMs: true },
  delivery: {
    ...{ concurrency: true, timeoutMs: true, retryBaseMs: true, retryMaxMs: true },
    ...{ connectTimeoutMs: true, headersTimeoutMs: true, bodyTimeoutMs: true },
    ...{ retriesPerSuccess: true, policy: true, classify: true, idempotencyHeader: true },
  },
  parts: { gzip: true, deadLetters: true, hooks: true },
};

/** Checks options and fills in defaults. Throws a ConfigError that names the option, its value (never the key), and what is allowed. */
export function readOptions(options: TrackerOptions): Settings {
  try {
    return readAll(options);
  } catch (error) {
    if (isThrown(error, ConfigError)) throw error;
    throw new ConfigError('options', `options cannot be read: ${reasonOf(error)}`);
  }
}

function readAll(options: TrackerOptions): Settings {
  const given = group('options', options);
  const buffer = group('buffer', given.buffer);
  const storage = group('storage', given.storage);
  const deadLetters = group('deadLetters', given.deadLetters);
  const batch = group('batch', given.batch);
  const delivery = group('delivery', given.delivery);
  const parts: Parts = { ...group('parts', given.parts), ...platform.parts };
  const compress = checked(given, 'compress', false, isBoolean, 'true or false');
  if (compress && !parts.gzip) missingPart('compress', 'gzip');
  for (const option of HOOKS) if (!parts.hooks && given[option] !== undefined) missingPart(option, 'hooks');
  if (!parts.hooks && delivery.classify !== undefined) missingPart('delivery.classify', 'hooks');
  const journal = checked(given, 'journal', undefined, isJournal, '"memory" or a Journal');
  const journalDirectory = checked(given, 'journalDirectory', undefined, isNonEmptyString, 'a path');
  if (journal !== undefined && journalDirectory !== undefined) {
    throw new ConfigError(
      'journalDirectory',
      'journalDirectory is for the file journal: leave it out, or leave out journal',
    );
  }
  return {
    baseUrl: readBaseUrl('baseUrl', given.baseUrl),
    apiKey: 'apiKey' in given ? readApiKey(given.apiKey) : undefined,
    correlationKey:
      checked(given, 'correlationKey', undefined, isNonEmptyString, 'a non-empty string') ??
      missing('correlationKey', 'the primary key chosen in the audience section'),
    source: checked(given, 'source', 'custom', isNonEmptyString, 'a non-empty string'),
    journal,
    journalDirectory,
    fsync: checked(given, 'fsync', 'interval', isFsync, '"always", "interval" or "never"'),
    commitIntervalMs: size(given, 'commitIntervalMs', undefined, '', 0),
    maxEventBytes: size(given, 'maxEventBytes', 256 * KIB),
    buffer: {
      maxEvents: size(buffer, 'maxEvents', 256 * KIB, 'buffer.'),
      maxBytes: size(buffer, 'maxBytes', 64 * MIB, 'buffer.'),
    },
    storage: {
      maxBytes: size(storage, 'maxBytes', Number.POSITIVE_INFINITY, 'storage.', LEAST_JOURNAL_BYTES),
      minFreeBytes: size(storage, 'minFreeBytes', 64 * MIB, 'storage.', 0),
      whenFull: checked(
        storage,
        'whenFull',
        'drop-oldest',
        isWhenFull,
        '"drop-oldest" or "drop-newest"',
        'storage.',
      ),
      maxAgeMs: size(storage, 'maxAgeMs', undefined, 'storage.'),
    },
    deadLetters: {
      maxBytes: size(deadLetters, 'maxBytes', 16 * MIB, 'deadLetters.', LEAST_JOURNAL_BYTES),
      maxAgeMs: size(deadLetters, 'maxAgeMs', 30 * DAY_MS, 'deadLetters.'),
    },
    batch: {
      maxEvents: size(batch, 'maxEvents', 500, 'batch.'),
      maxBytes: size(batch, 'maxBytes', 512 * KIB, 'batch.'),
      maxWaitMs: size(batch, 'maxWaitMs', 1_000, 'batch.', 0),
    },
    ordering: checked(given, 'ordering', 'unordered', isOrdering, '"unordered" or "strict"'),
    compress,
    delivery: {
      concurrency: size(delivery, 'concurrency', 4, 'delivery.'),
      timeouts: {
        totalMs: size(delivery, 'timeoutMs', 60_000, 'delivery.'),
        connectMs: size(delivery, 'connectTimeoutMs', 10_000, 'delivery.'),
        headersMs: size(delivery, 'headersTimeoutMs', 30_000, 'delivery.'),
        bodyMs: size(delivery, 'bodyTimeoutMs', 5_000, 'delivery.'),
      },
      retryBaseMs: size(delivery, 'retryBaseMs', 500, 'delivery.'),
      retryMaxMs: size(delivery, 'retryMaxMs', 60_000, 'delivery.'),
      retriesPerSuccess: checked(
        delivery,
        'retriesPerSuccess',
        0.1,
        isRatio,
        'a number from 0 to 1,000',
        'delivery.',
      ),
      policy: readPolicy(delivery.policy),
      classify: checked(delivery, 'classify', undefined, isFunction<Classify>, 'a function', 'delivery.'),
      idempotencyHeader: checked(
        delivery,
        'idempotencyHeader',
        undefined,
        isFreeHeader,
        'the name of a header that Sluice does not send itself',
        'delivery.',
      ),
    },
    parts,
    waitUntil: checked(
      given,
      'waitUntil',
      undefined,
      isFunction<(work: Promise<unknown>) => void>,
      'a function',
    ),
    logger: checked(
      given,
      'logger',
      undefined,
      hasMethods<Logger>('debug', 'info', 'warn', 'error'),
      'an object with debug, info, warn and error',
    ),
    transport: checked(
      given,
      'transport',
      undefined,
      hasMethods<Transport>('post', 'close'),
      'a Transport, with post and close',
    ),
    clock: checked(
      given,
      'clock',
      undefined,
      hasMethods<Clock>('now', 'setTimeout'),
      'a Clock, with now and setTimeout',
    ),
    random: checked(
      given,
      'random',
      undefined,
      isFunction<() => number>,
      'a function that returns numbers from 0 to 1',
    ),
  };
}

type Given = Readonly<Record<string, unknown>>;

/** An object of options in which every name is known. */
function group(name: 'options' | Group, value: unknown): Given {
  const names = Object.keys(NAMES[name]);
  if (value === undefined && name !== 'options') return {};
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    // A text in place of the options may be the key.
    const got = name === 'options' && typeof value === 'string' ? 'a string' : describe(value);
    throw new ConfigError(name, `${name} must be an object, got ${got}`);
  }
  const prefix = name === 'options' ? '' : `${name}.`;
  for (const key of Object.keys(value)) {
    if (!names.includes(key)) {
      throw new ConfigError(prefix + key, `${prefix}${key} is not an option; there are ${names.join(', ')}`);
    }
  }
  return value as Given;
}

/** The option, or its default; undefined counts as left out. */
function checked<Value, Default>(
  given: Given,
  name: string,
  fallback: Default,
  isValid: (value: unknown) => value is Value,
  allowed: string,
  prefix = '',
): Value | Default {
  const value = given[name];
  if (value === undefined) return fallback;
  if (isValid(value)) return value;
  throw new ConfigError(prefix + name, `${prefix}${name} must be ${allowed}, got ${describe(value)}`);
}

function size<Default>(
  given: Given,
  name: string,
  fallback: Default,
  prefix = '',
  least = 1,
): number | Default {
  // Timers take no more; sizes of storage, and ages of what is stored, have no such bound.
  const isStored = prefix === 'deadLetters.' || (prefix === 'storage.' && !name.endsWith('Ms'));
  const most = isStored ? Number.MAX_SAFE_INTEGER : name.endsWith('Ms') ? MAX_TIMER_MS : 2 ** 31;
  const allowed = `a whole number from ${least} to ${most}`;
  return checked(given, name, fallback, isWholeFrom(least, most), allowed, prefix);
}

function isWholeFrom(least: number, most: number): (value: unknown) => value is number {
  return (value): value is number =>
    Number.isInteger(value) && Number(value) >= least && Number(value) <= most;
}

function isFsync(value: unknown): value is Fsync {
  return value === 'always' || value === 'interval' || value === 'never';
}

function isWhenFull(value: unknown): value is WhenFull {
  return value === 'drop-oldest' || value === 'drop-newest';
}

function isRatio(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= 1_000;
}

function isOrdering(value: unknown): value is Ordering {
  return value === 'unordered' || value === 'strict';
}

function isBoolean(value: unknown): value is boolean {
  return typeof value === 'boolean';
}

function isFreeHeader(value: unknown): value is string {
  return typeof value === 'string' && HEADER_NAME.test(value) && !OWN_HEADERS.has(value.toLowerCase());
}

function isFunction<Value>(value: unknown): value is Value {
  return typeof value === 'function';
}

function hasMethods<Value>(...methods: (keyof Value & string)[]): (value: unknown) => value is Value {
  return (value): value is Value =>
    typeof value === 'object' &&
    value !== null &&
    methods.every((method) => typeof Reflect.get(value, method) === 'function');
}

const isJournalObject = hasMethods<Journal>('open', 'append', 'read', 'acknowledge', 'sync', 'close');

function isJournal(value: unknown): value is 'memory' | Journal {
  if (value === 'memory') return true;
  return (
    isJournalObject(value) && Number(value.groupLimit?.maxEvents) > 0 && Number(value.groupLimit.maxBytes) > 0
  );
}

/** An API key. Throws a ConfigError that does not show it. */
export function readApiKey(value: unknown): string {
  if (isApiKey(value)) return value;
  throw new ConfigError(
    'apiKey',
    `apiKey must be visible ASCII characters without blanks or line breaks, got ${kindOfKey(value)}`,
  );
}

/** Names what was given as a key without showing it. */
function kindOfKey(value: unknown): string {
  // Most often an environment variable that is not set.
  if (value === undefined) return 'undefined; leave the option out if a relay holds the key';
  if (typeof value !== 'string') return `a value of type ${typeof value}`;
  return value === '' ? 'an empty string' : 'a string with other characters';
}

function missing(option: string, allowed: string): never {
  throw new ConfigError(option, `${option} is required: ${allowed}`);
}
