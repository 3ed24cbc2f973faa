import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { stateDirectory } from '@sluice/core/file-journal';
import { ConfigError } from '@sluice/protocol';
import {
  ANYTHING,
  aFunction,
  type Clock,
  flag,
  methods,
  milliseconds,
  nonEmpty,
  oneOf,
  type Redact,
  type Rule,
  type Rules,
  readApiKey,
  readBaseUrl,
  readRules,
  refusal,
  systemClock,
  thoroughRedactorOfAll,
  whole,
  withoutSecrets,
} from '@sluice/protocol/toolbox';
import { type FailureLog, failureLog } from './failure-log.ts';
import { LEAST_SECRET } from './identity/jwt.ts';
import { isProxy } from './intake/addresses.ts';
import type { ContextOptions, JwtOptions, LimitOptions, RelayOptions } from './options.ts';

/** Options, complete. */
export interface Settings extends Omit<RelayOptions, 'secret'> {
  readonly secrets: readonly string[];
  readonly enforcement: 'observe' | 'enforce';
  readonly durability: 'journal' | 'upstream';
  readonly proxies: readonly string[];
  /** Only a relay with a journal needs one: without, it may be empty. */
  readonly directory: string;
  readonly ticketMs: number;
  readonly acceptForMs: number;
  readonly limits: { readonly [Name in keyof LimitOptions]-?: number };
  readonly tracker: NonNullable<RelayOptions['tracker']>;
  readonly clock: Clock;
  /** Removes the key, the secrets, and values of `tracker.delivery.headers`. */
  readonly redact: Redact;
  readonly log: FailureLog;
}

const HOUR_MS = 60 * 60_000;
const MIB = 1024 * 1024;
const MOST = Number.MAX_SAFE_INTEGER;
/** Shorter values of headers are no secrets, as for a tracker. */
const LEAST_HEADER = 8;

const RULES: Readonly<Record<keyof RelayOptions, Rule | Rules>> = {
  baseUrl: ANYTHING,
  apiKey: ANYTHING,
  correlationKey: nonEmpty(),
  secret: [isSecret, ''],
  identify: aFunction(),
  jwt: ANYTHING,
  enforcement: oneOf(['observe', 'enforce'], 'enforce'),
  durability: oneOf(['journal', 'upstream'], 'journal'),
  directory: nonEmpty(undefined, 'a path'),
  origins: listOf(isOrigin, 'a list of origins, such as "https://shop.example"'),
  proxies: listOf(isProxy, 'a list of addresses and subnets, such as "10.0.0.0/8"', []),
  ticketMs: milliseconds(HOUR_MS),
  acceptForMs: milliseconds(7 * 24 * HOUR_MS, 0),
  context: ANYTHING,
  limits: {
    maxBodyBytes: whole(MIB, 1_024),
    maxEvents: whole(1_000),
    maxEventBytes: whole(MIB / 4, 256),
    maxPendingBytes: whole(64 * MIB, MIB, MOST),
    ticketEventsPerMinute: whole(6_000),
    addressEventsPerMinute: whole(60_000),
    windowBytes: whole(16 * MIB, 4_096),
  },
  tracker: ANYTHING,
  logger: methods('debug', 'info', 'warn', 'error'),
  clock: [methods('now', 'setTimeout')[0], 'a clock', systemClock],
};
const JWT: Readonly<Record<keyof JwtOptions, Rule>> = {
  algorithm: [
    (value) => typeof value === 'string' && /^(?:(?:HS|RS|PS|ES)(?:256|384|512)|EdDSA)$/.test(value),
    'an algorithm of signatures, such as "RS256"',
  ],
  audience: nonEmpty(),
  issuer: nonEmpty(),
  keys: [
    (value) => typeof value === 'object' && value !== null && Object.keys(value).length > 0,
    'keys by kid',
  ],
};
const CONTEXT: Readonly<Record<keyof ContextOptions, Rule>> = {
  key: nonEmpty(),
  receivedAt: flag(),
  userAgent: flag(),
  address: flag(),
};
const TRACKER: Readonly<Record<keyof NonNullable<RelayOptions['tracker']>, Rule>> = {
  account: ANYTHING,
  batch: ANYTHING,
  buffer: ANYTHING,
  compress: ANYTHING,
  deadLetters: ANYTHING,
  delivery: ANYTHING,
  journal: ANYTHING,
  ordering: ANYTHING,
  storage: ANYTHING,
};

/** Checks options and fills in defaults. Throws a ConfigError that shows no key and no secret. */
export function readOptions(given: RelayOptions): Settings {
  const { apiKey, jwt, secret, tracker }: Partial<RelayOptions> = Object(given);
  const { keys } = Object(jwt);
  const headers = Object.values(Object(Object(Object(tracker).delivery).headers));
  // Whoever forgets a kid gives a key in place of the keys.
  const secrets = [apiKey, secret, jwt, keys, ...Object.values(Object(keys))].flat();
  secrets.push(...headers.filter((value) => Object(value).length >= LEAST_HEADER));
  const settings = {
    ...withoutSecrets(secrets, () => read(given)),
    redact: thoroughRedactorOfAll(secrets),
  };
  return { ...settings, log: failureLog(settings) };
}

function read(given: RelayOptions): Omit<Settings, 'redact' | 'log'> {
  // The cast is safe: the rules hold.
  const { secret, ...options } = readRules(RULES, '', given) as unknown as RelayOptions & Settings;
  const apiKey = readApiKey(options.apiKey, "give the key that the account's settings show");
  const baseUrl = readBaseUrl('baseUrl', options.baseUrl, apiKey);
  if (options.correlationKey === undefined) throw refusal('correlationKey', 'a non-empty string', undefined);
  if (secret === undefined) isSecret(secret);
  if (options.jwt !== undefined) readRules(JWT, 'jwt', options.jwt);
  for (const name of ['algorithm', 'audience', 'keys'] as const) {
    if (options.jwt && options.jwt[name] === undefined)
      throw refusal(`jwt.${name}`, String(JWT[name][1]), undefined);
  }
  if (options.context !== undefined) readRules(CONTEXT, 'context', options.context);
  if (options.context && !options.context.key) throw refusal('context.key', 'a non-empty string', undefined);
  const tracker: Settings['tracker'] = readRules(TRACKER, 'tracker', options.tracker ?? {});
  const { journal } = tracker;
  if (options.durability === 'journal' && (journal === 'memory' || journal?.survives === false)) {
    const advice = 'a relay without a disk needs durability: "upstream"';
    throw new ConfigError('tracker.journal', `tracker.journal must outlive the process; ${advice}`);
  }
  if (options.enforcement === 'enforce' && !options.identify && !options.jwt) {
    throw new ConfigError('identify', 'identify or jwt is required: without them, no page can get a ticket');
  }
  return {
    ...options,
    apiKey,
    baseUrl,
    tracker,
    secrets: [secret].flat(),
    directory:
      options.directory ??
      (options.durability === 'upstream'
        ? ''
        : directoryOf(baseUrl, options.correlationKey, tracker.account)),
  };
}

/** Throws a ConfigError that does not show the value. */
function isSecret(value: unknown): boolean {
  const secrets = [value].flat();
  if (secrets.length > 0 && secrets.every((each) => typeof each === 'string' && each.length >= LEAST_SECRET))
    return true;
  throw new ConfigError(
    'secret',
    `secret must be a text of at least ${LEAST_SECRET} characters, or a list of such texts`,
  );
}

/** A rule for lists. Its error names the first item that is wrong. */
function listOf(isItem: (text: string) => boolean, allowed: string, fallback?: readonly string[]): Rule {
  const isRight = (value: unknown, option = ''): boolean => {
    if (!Array.isArray(value)) return false;
    const wrong = value.findIndex((item) => typeof item !== 'string' || !isItem(item));
    if (wrong >= 0) throw refusal(option, allowed, value[wrong]);
    return true;
  };
  return [isRight, allowed, fallback];
}

function isOrigin(text: string): boolean {
  return URL.canParse(text) && /^https?:/.test(text) && new URL(text).origin === text;
}

/** Different for each account. Without one, it is where it always was: events may wait there. */
function directoryOf(baseUrl: string, correlationKey: string, account = ''): string {
  const names = `${baseUrl} ${correlationKey}${account && `\n${account}`}`;
  const name = createHash('sha256').update(names).digest('hex').slice(0, 16);
  return join(stateDirectory('directory', 'durability: "upstream"'), 'sluice', `relay-${name}`);
}
