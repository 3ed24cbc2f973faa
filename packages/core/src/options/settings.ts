import { ConfigError } from '@sluice/protocol';
import {
  baseUrlOf,
  type Clock,
  isNonEmptyString,
  MAX_TIMER_MS,
  readApiKey,
  refusal,
  systemClock,
} from '@sluice/protocol/toolbox';
import { missingPart, type Parts } from '../parts.ts';
import type { Consent, Ordering, TrackerOptions } from './options.ts';

type Group<Name extends keyof TrackerOptions> = NonNullable<TrackerOptions[Name]>;
/** A group of options, complete except for the `Optional` ones. */
type Complete<Name extends keyof TrackerOptions, Optional extends keyof Group<Name> = never> = Group<Name> & {
  readonly [Option in Exclude<keyof Group<Name>, Optional>]-?: NonNullable<Group<Name>[Option]>;
};

/** The options with a default. Also those that are a number if they are given. */
interface Completed {
  readonly source: string;
  readonly commitIntervalMs: number;
  readonly maxEventBytes: number;
  readonly buffer: Complete<'buffer'>;
  readonly storage: Complete<'storage', 'maxAgeMs' | 'maxBytes'>;
  readonly deadLetters: Complete<'deadLetters'>;
  readonly unidentified: Complete<'unidentified'>;
  readonly batch: Complete<'batch'>;
  readonly ordering: Ordering;
  readonly advanced: Complete<'advanced'>;
  readonly delivery: Complete<
    'delivery',
    'classify' | 'connect' | 'dispatcher' | 'idempotencyHeader' | 'maxTries'
  >;
}

export type Settings = TrackerOptions &
  Completed & {
    readonly clock: Clock;
    readonly random: () => number;
    readonly consent: Consent;
    readonly parts: Parts;
    /** Whether `ordering` is `per-customer`. */
    readonly isOrdered: boolean;
  };

/** Defaults that depend on the platform. */
export interface Defaults {
  /** For tests. Default: the system's. */
  readonly clock?: Clock | undefined;
  /** For tests. Returns numbers from 0 to 1, for jitter. Default: `Math.random`. */
  readonly random?: (() => number) | undefined;
  readonly parts: Parts;
  readonly commitIntervalMs: number;
  /** The default of `batch.maxBytes`. */
  readonly batchBytes: number;
  /** Whether there is one customer at a time: then events tracked before `identify()` are held by default. */
  readonly holdsUnidentified: boolean;
  /** A tracker got an API key. Warns once if others can read it. Absent if they never can. */
  readonly warnOfKey?: ((baseUrl: string, options: TrackerOptions) => void) | undefined;
}

const KIB = 1024;
const MIB = 1024 * KIB;
const DAY_MS = 24 * 60 * 60_000;
/** For a tracker that does nothing. */
const NOWHERE = {
  baseUrl: 'http://localhost',
  correlationKey: 'source',
  journal: 'memory',
  enabled: false,
} as const;
/** The parts that options need. */
const NEEDED = [
  ['compress', 'gzip'],
  ['storage', 'bounds'],
  ['transport', 'guards'],
  ['destination', 'destination'],
  ['logger', 'logger'],
  ['debug', 'logger'],
  ['waitUntil', 'waitUntil'],
] as const;
const HOOKS = ['context', 'beforeSend', 'sample', 'redact', 'bigint', 'events', 'validate'] as const;
/** The numbers that may be 0. */
const MAY_BE_ZERO = /Interval|Wait|Free/;

/** Fills in defaults. Checks what would lose or misdirect events; the part `checked` checks the rest. Throws a ConfigError. */
export function readOptions(given: TrackerOptions, defaults: Defaults): Settings {
  const platform = own(defaults);
  const isOff = given?.enabled === false;
  const options = own(isOff ? { ...NOWHERE, parts: given.parts } : given);
  const parts = own<Parts>({ ...options.parts, ...platform.parts });
  if (!isOff) parts.checked?.(given);
  const { correlationKey, journal, consent = 'granted' } = options;
  const completed: Completed = {
    source: 'custom',
    commitIntervalMs: platform.commitIntervalMs,
    maxEventBytes: 256 * KIB,
    buffer: { maxEvents: Number.POSITIVE_INFINITY, maxBytes: 64 * MIB },
    storage: { maxBytes: undefined, minFreeBytes: 64 * MIB, whenFull: 'drop-oldest', maxAgeMs: undefined },
    deadLetters: { maxBytes: 16 * MIB, maxAgeMs: 30 * DAY_MS },
    unidentified: { hold: platform.holdsUnidentified, maxBytes: 4 * MIB, maxAgeMs: 30 * DAY_MS },
    batch: { maxEvents: Number.POSITIVE_INFINITY, maxBytes: platform.batchBytes, maxWaitMs: 1_000 },
    ordering: 'unordered',
    delivery: {
      maxConcurrency: 32,
      timeoutMs: 60_000,
      retryBaseMs: 500,
      retryMaxMs: 60_000,
      maxTries: undefined,
      policy: {},
      headers: {},
      credentials: 'omit',
    },
    advanced: { connectTimeoutMs: 10_000, headersTimeoutMs: 30_000, bodyTimeoutMs: 5_000 },
  };
  // The cast is safe: what is given has the type of its default, or is replaced by it.
  const settings = complete(completed, options) as Settings;
  const baseUrl = baseUrlOf(options.baseUrl);
  if (baseUrl === undefined) {
    const rule = 'baseUrl must be an http or https URL without credentials, query or fragment';
    throw new ConfigError('baseUrl', rule);
  }
  if ('apiKey' in options) {
    readApiKey(options.apiKey);
    platform.warnOfKey?.(baseUrl, options);
  }
  if (!isNonEmptyString(correlationKey)) {
    const rule = 'correlationKey is required: the primary key chosen in the audience section';
    throw new ConfigError('correlationKey', rule);
  }
  // Otherwise events would be in memory only.
  if (journal !== undefined && journal !== 'memory' && !journal?.groupLimit) {
    throw refusal('journal', '"memory" or a Journal', journal);
  }
  const { delivery } = settings;
  const isOrdered = settings.ordering === 'per-customer';
  const need = (option: string, isGiven: unknown, part: keyof Parts) => {
    if (isGiven && !parts[part]) missingPart(option, part);
  };
  for (const [option, part] of NEEDED) need(option, options[option], part);
  for (const hook of HOOKS) need(hook, options[hook] !== undefined, 'hooks');
  need('ordering', isOrdered, 'perCustomer');
  need('delivery.idempotencyHeader', delivery.idempotencyHeader, 'idempotency');
  need('delivery.classify', delivery.classify, 'classify');
  return own({
    ...settings,
    baseUrl,
    clock: platform.clock ?? systemClock,
    random: platform.random ?? Math.random,
    // An event is written before it is sent, and must be sent after `maxWaitMs`.
    commitIntervalMs: Math.min(settings.commitIntervalMs, settings.batch.maxWaitMs),
    consent: readConsent(consent),
    isOrdered,
    parts,
  });
}

/** A copy that inherits nothing: what a page added to Object.prototype is no option. */
function own<Options extends object>(options: Options): Options {
  return { __proto__: null, ...options };
}

/**
 * The options that were given, with defaults for those left out. A value counts as left out if it has another type than the
 * default, is empty, or is too small a number. Too large a number counts as the largest.
 */
function complete(defaults: object, given: unknown): object {
  const settings: Record<string, unknown> = own(given as Record<string, unknown>);
  for (const [name, fallback] of Object.entries(defaults)) {
    const value = settings[name];
    if (typeof fallback === 'object') settings[name] = complete(fallback, value);
    else if (typeof value !== typeof (fallback ?? 0) || value === '') settings[name] = fallback;
    else if (typeof value === 'number') settings[name] = limited(name, value) ?? fallback;
  }
  return settings;
}

function limited(name: string, value: number): number | undefined {
  const least = MAY_BE_ZERO.test(name) ? 0 : 1;
  if (!(value >= least && value < Number.POSITIVE_INFINITY)) return undefined;
  // All others are counts, or times: a timer takes them, with a fifth that chance adds.
  return /Bytes|Age/.test(name) ? value : Math.min(value, Math.floor(MAX_TIMER_MS * 0.8));
}

/** Throws a ConfigError if it is no consent. */
export function readConsent(value: unknown): Consent {
  if (value === 'pending' || value === 'granted' || value === 'denied') return value;
  // Without the value: it may be the key.
  throw new ConfigError('consent', 'consent must be "pending", "granted" or "denied"');
}
