import {
  ANYTHING,
  aFunction,
  ConfigError,
  flag,
  hasMethods,
  methods,
  milliseconds,
  nonEmpty,
  oneOf,
  type Rule,
  readApiKey,
  readBaseUrl,
  readRules,
  refusal,
  whole,
} from '@sluice/protocol';
import type { Clock } from '../base/clock.ts';
import { isThrown, reasonOf } from '../base/reason.ts';
import type { Fsync } from '../keep/fsync.ts';
import type { Journal } from '../keep/journal.ts';
import type { WhenFull } from '../parts/budget.ts';
import type { Logger } from '../parts/logger.ts';
import type { Classify } from '../parts/rejected-indexes.ts';
import { missing, missingPart, type Parts } from '../parts.ts';
import type { DeliveryPolicy } from '../send/delivery-policy.ts';
import type { Transport } from '../send/http/transport.ts';
import type { Consent, Ordering, TrackerOptions } from './options.ts';

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
  readonly unidentified: { readonly hold: boolean; readonly maxBytes: number; readonly maxAgeMs: number };
  readonly consent: Consent;
  readonly batch: { readonly maxEvents: number; readonly maxBytes: number; readonly maxWaitMs: number };
  readonly ordering: Ordering;
  readonly compress: boolean;
  readonly delivery: {
    readonly concurrency: number;
    readonly timeoutMs: number;
    readonly connectTimeoutMs: number;
    readonly headersTimeoutMs: number;
    readonly bodyTimeoutMs: number;
    readonly retryBaseMs: number;
    readonly retryMaxMs: number;
    readonly retriesPerSuccess: number;
    readonly policy: DeliveryPolicy | undefined;
    readonly classify: Classify | undefined;
    readonly idempotencyHeader: string | undefined;
  };
  readonly parts: Parts;
  readonly waitUntil: ((work: Promise<unknown>) => void) | undefined;
  readonly logger: Logger | undefined;
  readonly transport: Transport | undefined;
  readonly clock: Clock | undefined;
  /** Undefined: `Math.random`. */
  readonly random: (() => number) | undefined;
}

const KIB = 1024;
const MIB = 1024 * KIB;
/** Room for a few segments. */
const LEAST_JOURNAL_BYTES = 64 * KIB;
const DAY_MS = 24 * 60 * 60_000;
const MOST = Number.MAX_SAFE_INTEGER;

const CONSENT = oneOf('granted', ['pending', 'granted', 'denied']);

type Groups = 'buffer' | 'storage' | 'deadLetters' | 'unidentified' | 'batch' | 'delivery';
type GroupRules<Name extends Groups> = Readonly<Record<keyof NonNullable<TrackerOptions[Name]>, Rule>>;

/** By name: an option that is added to the type but not here does not compile. */
type OptionRules = Readonly<Record<Exclude<keyof TrackerOptions, Groups>, Rule>> & {
  readonly [Name in Groups]: GroupRules<Name>;
};

/** Defaults that depend on the platform. */
export interface Defaults {
  /** The parts that the platform includes. */
  readonly parts: Parts;
  readonly holdsUnidentified: boolean;
}

/** The rule of each option. An option that needs a part has the rule of that part. */
function rulesOf({ classify, guards, idempotency, logger, policy }: Parts, isHeld: boolean): OptionRules {
  return {
    baseUrl: ANYTHING,
    apiKey: ANYTHING,
    correlationKey: nonEmpty(),
    source: nonEmpty('custom'),
    journal: [isJournal, '"memory" or a Journal'],
    journalDirectory: nonEmpty(undefined, 'a path'),
    fsync: oneOf('interval', ['always', 'interval', 'never']),
    commitIntervalMs: milliseconds(undefined, 0),
    maxEventBytes: whole(256 * KIB),
    buffer: { maxEvents: whole(256 * KIB), maxBytes: whole(64 * MIB) },
    storage: {
      maxBytes: whole(Number.POSITIVE_INFINITY, LEAST_JOURNAL_BYTES, MOST),
      minFreeBytes: whole(64 * MIB, 0, MOST),
      whenFull: oneOf('drop-oldest', ['drop-oldest', 'drop-newest']),
      maxAgeMs: milliseconds(undefined),
    },
    deadLetters: {
      maxBytes: whole(16 * MIB, LEAST_JOURNAL_BYTES, MOST),
      maxAgeMs: whole(30 * DAY_MS, 1, MOST),
    },
    batch: { maxEvents: whole(500), maxBytes: whole(512 * KIB), maxWaitMs: milliseconds(1_000, 0) },
    delivery: {
      concurrency: whole(4),
      timeoutMs: milliseconds(60_000),
      connectTimeoutMs: milliseconds(10_000),
      headersTimeoutMs: milliseconds(30_000),
      bodyTimeoutMs: milliseconds(5_000),
      retryBaseMs: milliseconds(500),
      retryMaxMs: milliseconds(60_000),
      retriesPerSuccess: [
        (value) => typeof value === 'number' && value >= 0 && value <= 1_000,
        'a number from 0 to 1,000',
        0.1,
      ],
      policy: policy?.rule ?? missing('policy'),
      classify: classify?.rule ?? missing('classify'),
      idempotencyHeader: idempotency?.rule ?? missing('idempotency'),
    },
    unidentified: {
      hold: flag(isHeld),
      maxBytes: whole(4 * MIB, LEAST_JOURNAL_BYTES, MOST),
      maxAgeMs: whole(30 * DAY_MS, 1, MOST),
    },
    consent: CONSENT,
    ordering: oneOf('unordered', ['unordered', 'strict']),
    compress: flag(false),
    parts: methods('an object of parts'),
    waitUntil: aFunction(),
    logger: logger?.rule ?? missing('logger'),
    transport: guards?.rules.transport ?? missing('guards'),
    clock: guards?.rules.clock ?? missing('guards'),
    random: guards?.rules.random ?? missing('guards'),
  };
}

/**
 * Checks options and fills in defaults. Throws a ConfigError with the option, its value (never the key), and what is allowed.
 */
export function readOptions(options: TrackerOptions, defaults: Defaults): Settings {
  try {
    return readAll(options, defaults);
  } catch (error) {
    if (isThrown(error, ConfigError)) throw error;
    throw new ConfigError('options', `options cannot be read: ${reasonOf(error)}`);
  }
}

function readAll(options: TrackerOptions, defaults: Defaults): Settings {
  const parts: Parts = { ...options?.parts, ...defaults.parts };
  // The cast is safe: each value obeys its rule, and the rules have the names of the type.
  const settings = readRules(rulesOf(parts, defaults.holdsUnidentified), '', options) as unknown as Settings;
  const { baseUrl, correlationKey, compress, journal, journalDirectory } = settings;
  if (compress && !parts.gzip) missingPart('compress', 'gzip');
  if (journal !== undefined && journalDirectory !== undefined) {
    const rule = 'journalDirectory is for the file journal: leave it out, or leave out journal';
    throw new ConfigError('journalDirectory', rule);
  }
  const url = readBaseUrl('baseUrl', baseUrl);
  if ('apiKey' in options) readApiKey(options.apiKey);
  if (correlationKey !== undefined) return { ...settings, baseUrl: url, parts };
  const rule = 'correlationKey is required: the primary key chosen in the audience section';
  throw new ConfigError('correlationKey', rule);
}

function isJournal(value: unknown): value is 'memory' | Journal {
  if (value === 'memory') return true;
  if (!hasMethods(value, 'open', 'append', 'read', 'acknowledge', 'sync', 'close')) return false;
  const { groupLimit } = value as Journal;
  return groupLimit?.maxEvents > 0 && groupLimit.maxBytes > 0;
}

/** Reads a consent value. Throws a ConfigError if it is none. */
export function readConsent(value: unknown): Consent {
  const [isValid, allowed] = CONSENT;
  if (isValid(value)) return value as Consent;
  throw refusal('consent', allowed, value);
}
