import { ConfigError, describe, isApiKey, isNonEmptyString, readBaseUrl } from '@sluice/protocol';
import type { WhenFull } from './budget.ts';
import type { Clock } from './clock.ts';
import type { Fsync } from './fsync.ts';
import type { Journal } from './journal.ts';
import { guardedLogger, type Logger } from './logger.ts';
import type { Transport } from './transport.ts';

/** Options of `createTracker`. Only `baseUrl` and `correlationKey` are required. */
export interface TrackerOptions {
  /** `{base_url}` of the service: http or https, without credentials, query or fragment. */
  readonly baseUrl: string;
  /** The account's API key. Leave it out where a relay in front of the service holds it. */
  readonly apiKey?: string | undefined;
  /** The primary key chosen in the audience section of the service. */
  readonly correlationKey: string;
  /** Default `source` of events. Default: `custom`. */
  readonly source?: string | undefined;
  /** Where events are kept until delivered: `memory`, or a journal of your own. Default: files in Node, IndexedDB in browsers. */
  readonly journal?: 'memory' | Journal | undefined;
  /** Node: the directory of the journal. Default: a directory of this account under the user's state directory. */
  readonly journalDirectory?: string | undefined;
  /** Node: when written events are synced to the disk. Default: `interval`. */
  readonly fsync?: Fsync | undefined;
  /** How long an event may wait in memory before it is written, in milliseconds. Default: 10 in Node, 250 in browsers. */
  readonly commitIntervalMs?: number | undefined;
  /** Larger events are refused by `track()`, in bytes. Default: 256 KiB. */
  readonly maxEventBytes?: number | undefined;
  /** Bounds of the events in memory. */
  readonly buffer?:
    | {
        /** Default: 262,144. */
        readonly maxEvents?: number | undefined;
        /** Default: 64 MiB. */
        readonly maxBytes?: number | undefined;
      }
    | undefined;
  /** Bounds of what waits, above all in the journal. */
  readonly storage?:
    | {
        /** What the journal may take, in bytes. Default: no bound but that of the disk. */
        readonly maxBytes?: number | undefined;
        /**
         * What the journal leaves free on its disk, in bytes; at most a twentieth of the disk. Default: 64 MiB.
         */
        readonly minFreeBytes?: number | undefined;
        /** What is dropped where the journal is full. Default: `drop-oldest`. */
        readonly whenFull?: WhenFull | undefined;
        /** Events that get older before the service takes them are dropped, in milliseconds. Default: no bound. */
        readonly maxAgeMs?: number | undefined;
      }
    | undefined;
  /** When events are sent together: as soon as one of these is reached. */
  readonly batch?:
    | {
        /** Default: 500. */
        readonly maxEvents?: number | undefined;
        /** Default: 512 KiB. */
        readonly maxBytes?: number | undefined;
        /** Age of the oldest event, in milliseconds. Default: 1,000. */
        readonly maxWaitMs?: number | undefined;
      }
    | undefined;
  readonly delivery?:
    | {
        /** Requests at the same time. Default: 4. */
        readonly concurrency?: number | undefined;
        /** Bound of one request with its answer, in milliseconds. Default: 30,000. */
        readonly timeoutMs?: number | undefined;
        /** Bound of the first wait before a retry, in milliseconds; it doubles from try to try. Default: 500. */
        readonly retryBaseMs?: number | undefined;
        /** Bound of every wait before a retry, in milliseconds. Default: 60,000. */
        readonly retryMaxMs?: number | undefined;
      }
    | undefined;
  /** Anything with pino's `debug`, `info`, `warn` and `error`. Default: silent. */
  readonly logger?: Logger | undefined;
  /** How requests are made. Default: undici in Node, fetch in browsers. */
  readonly transport?: Transport | undefined;
  /** Time. Default: the system's. */
  readonly clock?: Clock | undefined;
  /** Numbers from 0 to 1 for jitter. Default: Math.random. */
  readonly random?: (() => number) | undefined;
}

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
  readonly batch: { readonly maxEvents: number; readonly maxBytes: number; readonly maxWaitMs: number };
  readonly delivery: {
    readonly concurrency: number;
    readonly timeoutMs: number;
    readonly retryBaseMs: number;
    readonly retryMaxMs: number;
  };
  readonly logger: Logger | undefined;
  readonly transport: Transport | undefined;
  readonly clock: Clock | undefined;
  readonly random: () => number;
}

const KIB = 1024;
const MIB = 1024 * KIB;
/** A journal of a few segments. */
const LEAST_JOURNAL_BYTES = 64 * KIB;
/** Timers take no more than 2^31 - 1 ms. */
const MAX_MS = 2 ** 31 - 1;
type Group = 'buffer' | 'storage' | 'batch' | 'delivery';
type NamesOf<Options> = Readonly<Record<keyof NonNullable<Options>, true>>;

/** Names of the options, by group. Records, so that an option added to the type and not here does not compile. */
const NAMES: { options: NamesOf<TrackerOptions> } & { [G in Group]: NamesOf<TrackerOptions[G]> } = {
  options: {
    ...{ baseUrl: true, apiKey: true, correlationKey: true, source: true },
    ...{ journal: true, journalDirectory: true, fsync: true, commitIntervalMs: true, maxEventBytes: true },
    ...{ buffer: true, storage: true, batch: true, delivery: true },
    ...{ logger: true, transport: true, clock: true, random: true },
  },
  buffer: { maxEvents: true, maxBytes: true },
  storage: { maxBytes: true, minFreeBytes: true, whenFull: true, maxAgeMs: true },
  batch: { maxEvents: true, maxBytes: true, maxWaitMs: true },
  delivery: { concurrency: true, timeoutMs: true, retryBaseMs: true, retryMaxMs: true },
};

/** Checks options and fills in defaults. Throws a ConfigError that names the option, its value (never the key), and what is allowed. */
export function readOptions(options: TrackerOptions): Settings {
  const given = group('options', options);
  const buffer = group('buffer', given.buffer);
  const storage = group('storage', given.storage);
  const batch = group('batch', given.batch);
  const delivery = group('delivery', given.delivery);
  const logger = checked(
    given,
    'logger',
    undefined,
    hasMethods<Logger>('debug', 'info', 'warn', 'error'),
    'an object with debug, info, warn and error',
  );
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
    apiKey: apiKey(given),
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
    batch: {
      maxEvents: size(batch, 'maxEvents', 500, 'batch.'),
      maxBytes: size(batch, 'maxBytes', 512 * KIB, 'batch.'),
      maxWaitMs: size(batch, 'maxWaitMs', 1_000, 'batch.', 0),
    },
    delivery: {
      concurrency: size(delivery, 'concurrency', 4, 'delivery.'),
      timeoutMs: size(delivery, 'timeoutMs', 30_000, 'delivery.'),
      retryBaseMs: size(delivery, 'retryBaseMs', 500, 'delivery.'),
      retryMaxMs: size(delivery, 'retryMaxMs', 60_000, 'delivery.'),
    },
    logger: logger === undefined ? undefined : guardedLogger(logger),
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
    random: checked(given, 'random', Math.random, isFunction, 'a function that returns numbers from 0 to 1'),
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
  const most = name.endsWith('Ms') ? MAX_MS : prefix === 'storage.' ? Number.MAX_SAFE_INTEGER : 2 ** 31;
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

function isFunction(value: unknown): value is () => number {
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

function apiKey(given: Given): string | undefined {
  const value = given.apiKey;
  if (value === undefined && !('apiKey' in given)) return undefined;
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
