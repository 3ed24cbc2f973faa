import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Logger, TrackerOptions } from '@sluice/core';
import { stateDirectory } from '@sluice/core/file-journal';
import { ConfigError, readApiKey, readBaseUrl } from '@sluice/protocol';
import {
  ANYTHING,
  aFunction,
  type Clock,
  flag,
  isNonEmptyString,
  methods,
  milliseconds,
  nonEmpty,
  oneOf,
  type Redact,
  type Rule,
  type Rules,
  readRules,
  refusal,
  systemClock,
  thoroughRedactor,
  whole,
} from '@sluice/protocol/toolbox';
import { isProxy } from './intake/addresses.ts';

/** How the site's back end names a customer in a JWT: in its claim `sub`. */
export interface JwtOptions {
  /** The one algorithm that counts: `RS256`, `ES256`, `EdDSA`, `HS256` and so on. */
  readonly algorithm: string;
  /** What `aud` must be or contain. */
  readonly audience: string;
  /** What `iss` must be. Default: it is not looked at. */
  readonly issuer?: string | undefined;
  /** By `kid`: a public key as PEM text or a JWK; for `HS…`, a secret of at least 32 characters. */
  readonly keys: Readonly<Record<string, unknown>>;
}

/** What the relay adds to the payload of each event. Each switch is off by default. */
export interface ContextOptions {
  /** The field of the payload that has it. What the page writes there is replaced. */
  readonly key: string;
  /** `received_at`: when the relay got the event. */
  readonly receivedAt?: boolean | undefined;
  /** `user_agent`: the header of the request. */
  readonly userAgent?: boolean | undefined;
  /** `address`: that of the client, cut to /24, or in IPv6 to /48. */
  readonly address?: boolean | undefined;
}

/** Bounds of what a page may send. */
export interface LimitOptions {
  /** Of a body, also after it is inflated, in bytes. Default: 1 MiB. */
  readonly maxBodyBytes?: number | undefined;
  /** Events of a request. Default: 1,000. */
  readonly maxEvents?: number | undefined;
  /** Of an event as JSON, in bytes. Default: 256 KiB. */
  readonly maxEventBytes?: number | undefined;
  /** Of all bodies that are read or wait for the disk, in bytes. Default: 64 MiB. */
  readonly maxPendingBytes?: number | undefined;
  /** Events of a ticket in a minute. Default: 6,000. */
  readonly ticketEventsPerMinute?: number | undefined;
  /** Events of an address in a minute; a request counts as one more. In IPv6, of a /64. Default: 60,000. */
  readonly addressEventsPerMinute?: number | undefined;
  /** Memory that knows which events and parcels have come already, in bytes. Default: 16 MiB. */
  readonly windowBytes?: number | undefined;
}

/** Options of `createRelay`. */
export interface RelayOptions {
  /** `{base_url}` of the service. */
  readonly baseUrl: string;
  /** The account's API key. No page ever gets it. */
  readonly apiKey: string;
  /** The primary key chosen in the audience section of the service. */
  readonly correlationKey: string;
  /** Signs tickets: at least 32 characters. In a list, the first one signs, and tickets of the others still count. */
  readonly secret: string | readonly string[];
  /**
   * Who is signed in, by the session cookie of a request; nothing if nobody is. Called only for tickets, for pages of
   * the relay's own origin.
   *
   * @param native The request of the framework: that of Express has the session.
   */
  readonly identify?:
    | ((
        request: Request,
        native: unknown,
      ) => string | undefined | null | PromiseLike<string | undefined | null>)
    | undefined;
  /** Takes JWTs of the site's back end. Default: none. */
  readonly jwt?: JwtOptions | undefined;
  /** `observe`: events without a ticket that counts are taken too, for the customer that the page names. Default: `enforce`. */
  readonly enforcement?: 'observe' | 'enforce' | undefined;
  /**
   * When events count as taken. `journal`: once they are synced to the relay's disk. `upstream`: once the service has them.
   * Default: `journal`.
   */
  readonly durability?: 'journal' | 'upstream' | undefined;
  /** Where events wait for the service. Each process needs its own. Default: one of this account in the user's state directory. */
  readonly directory?: string | undefined;
  /** Origins whose pages may use the relay, such as `https://shop.example`. Default: the relay's own. */
  readonly origins?: readonly string[] | undefined;
  /** Addresses and subnets of proxies whose `X-Forwarded-For` counts. Default: none. */
  readonly proxies?: readonly string[] | undefined;
  /** For how long a page tracks under one ticket, in milliseconds. Default: an hour. */
  readonly ticketMs?: number | undefined;
  /** For how long after that the ticket's events are taken, in milliseconds. Default: 7 days. */
  readonly acceptForMs?: number | undefined;
  readonly context?: ContextOptions | undefined;
  readonly limits?: LimitOptions | undefined;
  /** Options of the tracker that delivers the events. */
  readonly tracker?:
    | Pick<
        TrackerOptions,
        'account' | 'batch' | 'buffer' | 'compress' | 'deadLetters' | 'delivery' | 'ordering' | 'storage'
      >
    | undefined;
  /** Gets failures of the relay and of its tracker. No key or secret appears. Default: the console. */
  readonly logger?: Logger | undefined;
  /** The clock of tickets, rates and windows. Default: the system's. */
  readonly clock?: Clock | undefined;
}

/** Options, complete. */
export interface Settings
  extends Omit<RelayOptions, 'secret'>,
    Required<Pick<RelayOptions, 'ticketMs' | 'acceptForMs' | 'directory' | 'proxies'>> {
  readonly secrets: readonly string[];
  readonly enforcement: 'observe' | 'enforce';
  readonly durability: 'journal' | 'upstream';
  readonly proxies: readonly string[];
  readonly directory: string;
  readonly ticketMs: number;
  readonly acceptForMs: number;
  readonly limits: { readonly [Name in keyof LimitOptions]-?: number };
  readonly tracker: NonNullable<RelayOptions['tracker']>;
  readonly clock: Clock;
  /** Removes the key and the secrets. */
  readonly redact: Redact;
}

const HOUR_MS = 60 * 60_000;
const MIB = 1024 * 1024;
const LEAST_SECRET = 32;
const MOST = Number.MAX_SAFE_INTEGER;

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
  origins: [(value) => isListOf(value, isOrigin), 'a list of origins, such as "https://shop.example"'],
  proxies: [(value) => isListOf(value, isProxy), 'a list of addresses and subnets, such as "10.0.0.0/8"', []],
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
  ...{ account: ANYTHING, batch: ANYTHING, buffer: ANYTHING, compress: ANYTHING, deadLetters: ANYTHING },
  ...{ delivery: ANYTHING, ordering: ANYTHING, storage: ANYTHING },
};

/** Checks options and fills in defaults. Throws a ConfigError that shows no key and no secret. */
export function readOptions(given: RelayOptions): Settings {
  const { apiKey, secret }: Partial<RelayOptions> = Object(given);
  const redactors = [apiKey, secret].flat().filter(isNonEmptyString).map(thoroughRedactor);
  const redact: Redact = (text) => redactors.reduce((safe, each) => each(safe), text);
  try {
    return { ...read(given), redact };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new ConfigError(redact(error.option), redact(error.message));
  }
}

function read(given: RelayOptions): Omit<Settings, 'redact'> {
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
  const tracker = readRules(TRACKER, 'tracker', options.tracker ?? {});
  if (options.enforcement === 'enforce' && !options.identify && !options.jwt) {
    throw new ConfigError('identify', 'identify or jwt is required: without them, no page can get a ticket');
  }
  return {
    ...options,
    ...{ apiKey, baseUrl, tracker },
    secrets: [secret].flat(),
    directory:
      options.directory ??
      join(
        stateDirectory('directory', 'durability: "upstream"'),
        'sluice',
        nameOf(baseUrl, options.correlationKey),
      ),
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

function isListOf(value: unknown, isItem: (text: string) => boolean): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string' && isItem(item));
}

function isOrigin(text: string): boolean {
  return URL.canParse(text) && /^https?:/.test(text) && new URL(text).origin === text;
}

/** Different for each account. */
function nameOf(...account: string[]): string {
  return `relay-${createHash('sha256').update(account.join(' ')).digest('hex').slice(0, 16)}`;
}
