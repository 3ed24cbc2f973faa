import { ConfigError, readBaseUrl } from '@sluice/protocol';
import {
  ANYTHING,
  aFunction,
  flag,
  hasMethods,
  methods,
  milliseconds,
  nonEmpty,
  oneOf,
  type Rule,
  readRules,
  refusal,
  whole,
} from '@sluice/protocol/toolbox';
import type { Journal } from '../keep/journal.ts';
import type { CheckedPart } from '../parts.ts';
import type { TrackerOptions } from './options.ts';

type Groups = 'buffer' | 'storage' | 'deadLetters' | 'unidentified' | 'batch' | 'delivery';

/** By name: an option that is added to the type but not here does not compile. */
type OptionRules = Readonly<Record<Exclude<keyof TrackerOptions, Groups>, Rule>> & {
  readonly [Name in Groups]: Readonly<Record<keyof NonNullable<TrackerOptions[Name]>, Rule>>;
};

const MOST = Number.MAX_SAFE_INTEGER;
/** At least room for a few segments. */
const JOURNAL_BYTES = whole(undefined, 64 * 1024, MOST);
const AGE = whole(undefined, 1, MOST);
const STATUS_OR_CLASS = /^[2-5](?:\d\d|xx)$/;
const [isAction, ACTIONS] = oneOf(undefined, ['accept', 'retry', 'split', 'isolate', 'pause', 'drop']);
/** A header name by RFC 9110, section 5.6.2, except those that a request already has. */
const FREE_HEADER = /^(?!(?:authorization|content-(?:type|length|encoding)|host)$)[!#$%&'*+.^_`|~0-9a-z-]+$/i;

const RULES: OptionRules = {
  baseUrl: ANYTHING,
  apiKey: ANYTHING,
  correlationKey: nonEmpty(),
  source: nonEmpty(),
  journal: [isJournal, '"memory" or a Journal'],
  journalDirectory: nonEmpty(undefined, 'a path'),
  fsync: oneOf(undefined, ['always', 'interval', 'never']),
  commitIntervalMs: milliseconds(undefined, 0),
  maxEventBytes: whole(undefined),
  buffer: { maxEvents: whole(undefined), maxBytes: whole(undefined) },
  storage: {
    maxBytes: JOURNAL_BYTES,
    minFreeBytes: whole(undefined, 0, MOST),
    whenFull: oneOf(undefined, ['drop-oldest', 'drop-newest']),
    maxAgeMs: milliseconds(undefined),
  },
  deadLetters: { maxBytes: JOURNAL_BYTES, maxAgeMs: AGE },
  batch: { maxEvents: whole(undefined), maxBytes: whole(undefined), maxWaitMs: milliseconds(undefined, 0) },
  delivery: {
    concurrency: whole(undefined),
    timeoutMs: milliseconds(undefined),
    connectTimeoutMs: milliseconds(undefined),
    headersTimeoutMs: milliseconds(undefined),
    bodyTimeoutMs: milliseconds(undefined),
    retryBaseMs: milliseconds(undefined),
    retryMaxMs: milliseconds(undefined),
    retriesPerSuccess: [
      (value) => typeof value === 'number' && value >= 0 && value <= 1_000,
      'a number from 0 to 1,000',
    ],
    policy: [isPolicy, 'an object of actions by status'],
    classify: aFunction(),
    idempotencyHeader: [
      (value) => FREE_HEADER.test(String(value)) && typeof value === 'string',
      'the name of a header that Sluice does not send itself',
    ],
  },
  unidentified: { hold: flag(), maxBytes: JOURNAL_BYTES, maxAgeMs: AGE },
  consent: oneOf(undefined, ['pending', 'granted', 'denied']),
  ordering: oneOf(undefined, ['unordered', 'strict']),
  compress: flag(),
  parts: methods('an object of parts'),
  waitUntil: aFunction(),
  logger: methods('an object with debug, info, warn and error', 'debug', 'info', 'warn', 'error'),
  transport: methods('a Transport, with post and close', 'post', 'close'),
  clock: methods('a Clock', 'now', 'setTimeout'),
  random: aFunction(undefined, 'a function that returns numbers from 0 to 1'),
};

/** For pages: `createTracker({ …, parts: { checked } })`. In Node, and in development builds of a page, this is built in. */
export const checked: CheckedPart = (options) => {
  const { baseUrl, journal, journalDirectory } = readRules(RULES, '', options);
  if (journal !== undefined && journalDirectory !== undefined) {
    const rule = 'journalDirectory is for the file journal: leave it out, or leave out journal';
    throw new ConfigError('journalDirectory', rule);
  }
  readBaseUrl('baseUrl', baseUrl);
};

function isJournal(value: unknown): boolean {
  if (value === 'memory') return true;
  if (!hasMethods(value, 'open', 'append', 'read', 'acknowledge', 'sync', 'close')) return false;
  const { groupLimit } = value as Journal;
  return groupLimit?.maxEvents > 0 && groupLimit.maxBytes > 0;
}

/** Whether it is a policy. Throws a ConfigError for an unknown status or action. */
function isPolicy(given: unknown, option = ''): boolean {
  if (typeof given !== 'object' || given === null || !isPlain(given)) return false;
  for (const [status, action] of Object.entries(given)) {
    if (!STATUS_OR_CLASS.test(status)) {
      throw refusal(option, 'keyed by status (200 to 599) or class (2xx to 5xx)', status);
    }
    if (!isAction(action)) throw refusal(`${option}[${status}]`, ACTIONS, action);
  }
  return true;
}

/** Not an array, a Map, or anything else that may keep its entries elsewhere. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
