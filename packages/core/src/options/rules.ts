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
  type Rules,
  readBaseUrl,
  readRules,
  refusal,
  whole,
} from '@sluice/protocol/toolbox';
import { MOST_EVENT_BYTES } from '../base/event-bytes.ts';
import type { Journal } from '../keep/journal.ts';
import type { TrackerOptions } from './options.ts';

type Groups = 'buffer' | 'storage' | 'deadLetters' | 'unidentified' | 'batch' | 'delivery' | 'advanced';

/** By name: an option that is added to the type but not here does not compile. */
type OptionRules = Readonly<Record<Exclude<keyof TrackerOptions, Groups>, Rule>> & {
  readonly [Name in Groups]: Readonly<Record<keyof NonNullable<TrackerOptions[Name]>, Rule>>;
};

const MOST = Number.MAX_SAFE_INTEGER;
/** At least room for a few segments. */
const JOURNAL_BYTES = whole(undefined, 64 * 1024, MOST);
const AGE = whole(undefined, 1, MOST);
const COUNT = whole();
const WAIT = milliseconds();
const FLAG = flag();
const STATUS_OR_CLASS = /^[2-5](\d\d|xx)$/;
const [isAction, ACTIONS] = oneOf(['accept', 'retry', 'split', 'isolate', 'pause', 'drop']);
/** A header name by RFC 9110, section 5.6.2, except those that a request already has. */
const FREE_HEADER = /^(?!(authorization|content-(type|length|encoding)|host)$)[!#-'*+.^-z|~0-9-]+$/i;
const HEADERS = 'ASCII headers that Sluice does not send itself';
const OBJECT: Rule = [(value) => hasMethods(value), 'an object'];
const NODE_ONLY: Rule = [() => false, 'absent, except in Node'];

export const RULES: OptionRules = {
  baseUrl: ANYTHING,
  apiKey: ANYTHING,
  correlationKey: nonEmpty(),
  exitBudgetMs: ANYTHING,
  source: nonEmpty(),
  keepDeviceTimestamp: FLAG,
  account: nonEmpty(),
  journal: [isJournal, '"memory" or a Journal'],
  journalDirectory: ANYTHING,
  fsync: ANYTHING,
  commitIntervalMs: milliseconds(undefined, 0),
  maxEventBytes: whole(undefined, 1, MOST_EVENT_BYTES),
  buffer: { maxEvents: COUNT, maxBytes: COUNT },
  storage: {
    maxBytes: JOURNAL_BYTES,
    minFreeBytes: whole(undefined, 0, MOST),
    whenFull: oneOf(['drop-oldest', 'drop-newest']),
    maxAgeMs: AGE,
  },
  deadLetters: { maxBytes: JOURNAL_BYTES, maxAgeMs: AGE },
  batch: { maxEvents: COUNT, maxBytes: COUNT, maxWaitMs: milliseconds(undefined, 0) },
  delivery: {
    maxConcurrency: COUNT,
    maxTries: COUNT,
    timeoutMs: WAIT,
    retryBaseMs: WAIT,
    retryMaxMs: WAIT,
    policy: [isPolicy, 'an object'],
    classify: aFunction(),
    idempotencyHeader: [
      (value) => typeof value === 'string' && FREE_HEADER.test(value),
      'a header that Sluice does not send itself',
    ],
    headers: [isHeaders, 'an object'],
    credentials: oneOf(['omit', 'same-origin', 'include']),
    connect: NODE_ONLY,
    dispatcher: NODE_ONLY,
  },
  advanced: { connectTimeoutMs: WAIT, headersTimeoutMs: WAIT, bodyTimeoutMs: WAIT },
  unidentified: { hold: FLAG, maxBytes: JOURNAL_BYTES, maxAgeMs: AGE },
  consent: oneOf(['pending', 'granted', 'denied']),
  ordering: oneOf(['unordered', 'per-customer', 'strict']),
  leaving: oneOf(['at-least-once', 'once']),
  compress: FLAG,
  parts: OBJECT,
  waitUntil: aFunction(),
  // These parts check their own options.
  destination: OBJECT,
  context: ANYTHING,
  beforeSend: ANYTHING,
  bigint: ANYTHING,
  sample: ANYTHING,
  redact: ANYTHING,
  events: ANYTHING,
  validate: ANYTHING,
  enabled: FLAG,
  debug: FLAG,
  logger: [
    (value) => value === false || hasMethods(value, 'debug', 'info', 'warn', 'error'),
    'false or a logger',
  ],
  transport: methods('post', 'close'),
};

/** Throws a ConfigError. */
export function checkOptions(options: unknown, rules: Rules = RULES): void {
  const { baseUrl, apiKey } = readRules(rules, '', options);
  readBaseUrl('baseUrl', baseUrl, apiKey);
}

function isJournal(value: unknown): boolean {
  if (value === 'memory') return true;
  if (!hasMethods(value, 'open', 'append', 'read', 'acknowledge', 'sync', 'close')) return false;
  const { groupLimit } = value as Journal;
  return groupLimit?.maxEvents > 0 && groupLimit.maxBytes > 0;
}

/** Whether these are headers. Throws a ConfigError that names a wrong one, but does not show its value: it may be a secret. */
function isHeaders(given: unknown, option = ''): boolean {
  if (!isPlain(given)) return false;
  for (const [name, value] of Object.entries(given)) {
    if (typeof value === 'string' && FREE_HEADER.test(name) && /^[\t -~]*$/.test(value)) continue;
    throw refusal(option, HEADERS, name);
  }
  return true;
}

/** Whether it is a policy. Throws a ConfigError for an unknown status or action. */
function isPolicy(given: unknown, option = ''): boolean {
  if (!isPlain(given)) return false;
  for (const [status, action] of Object.entries(given)) {
    if (!STATUS_OR_CLASS.test(status)) {
      throw refusal(option, 'keyed by status (200 to 599) or class (2xx to 5xx)', status);
    }
    if (!isAction(action)) throw refusal(`${option}[${status}]`, ACTIONS, action);
  }
  return true;
}

/** Whether it is an object, but not an array, a Map, or anything else that may keep its entries elsewhere. */
function isPlain(value: unknown): value is object {
  if (!hasMethods(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
