import { randomBytes } from 'node:crypto';
import { ConfigError, type Customer, describe, isApiKey, isNonEmptyString } from '@sluice/protocol';
import { isLoopback } from './admin/operator-access.ts';
import { type BehaviourSettings, checkShorthands, readBehaviour } from './behaviour.ts';
import { BehaviourSwitch } from './behaviour-switch.ts';
import type { Fault, Script } from './faults/fault.ts';
import { readFault } from './faults/fault-rules.ts';
import { checkNames } from './known-names.ts';
import { type Logger, silentLogger } from './logger.ts';
import type { PresetName } from './presets.ts';
import type { RetentionLimits } from './storage/retention.ts';

/** How an emulator starts. Every option may be left out. */
export interface EmulatorOptions {
  /** Port of event ingestion. Default 0: any free port. */
  readonly port?: number | undefined;
  /** Port of reading customers, and of the inspection routes. Default 0: any free port. */
  readonly apiPort?: number | undefined;
  /** The address to listen on. Default `'127.0.0.1'`: this machine only. */
  readonly host?: string | undefined;
  /** Directory that keeps everything over a restart; made if missing. Default: memory only. */
  readonly data?: string | undefined;
  /** Start anew: deletes what an emulator kept in `data`. Default false. */
  readonly reset?: boolean | undefined;
  /**
   * File with events to load at the start, the JSON of one a line, as the event tracker exports them. Left out where `data`
   * holds events already. Default: none.
   */
  readonly seed?: string | undefined;
  /** Keep this many of the newest events, from 1; older ones are removed within a second. Default: all. */
  readonly maxEvents?: number | undefined;
  /** Keep events for so long, from 1. Default: for ever. */
  readonly maxAgeMs?: number | undefined;
  /** Keep this many of the newest requests for the requests page, from 1. Default 200,000. */
  readonly maxRequests?: number | undefined;
  /** The API key to take: visible ASCII. Default: the oldest valid one of the data directory, else a new one. */
  readonly apiKey?: string | undefined;
  /**
   * What the operator must present to see the pages and use the admin routes: visible ASCII. Default: nothing on
   * loopback, elsewhere a new one for each start, which is in `pagesUrl`.
   */
  readonly token?: string | undefined;
  /** The primary key to select. Default: as stored in the data directory, else none. */
  readonly primaryKey?: string | undefined;
  /** Customers to add at the start. Needs a primary key. */
  readonly customers?: Iterable<Customer> | undefined;
  /** Told of requests (debug), refusals (info) and failures (error), never of a key or a payload. Default: none. */
  readonly logger?: Logger | undefined;
  /**
   * A reading of what the interface does not show: `plain`, `strict`, `quiet` or `legacy`. Where this, `behaviour`,
   * `maxBodyBytes` or `compression` is given, nothing holds of what the data directory kept of them. Default: all of that,
   * else `plain`.
   */
  readonly preset?: PresetName | undefined;
  /** Settings of the service's behaviour, where they are not those of the preset. */
  readonly behaviour?: BehaviourSettings | undefined;
  /** Faults to switch on at the start: each a fault, a script, or an array of faults, which is a script. Default: none. */
  readonly faults?: readonly (Fault | Script | readonly Fault[])[] | undefined;
  /** What the choices of faults come from, a whole number: the same gives the same choices. Default 1. */
  readonly faultSeed?: number | undefined;
  /** The same as in `behaviour`: largest request body, in bytes. Default: that of the preset. */
  readonly maxBodyBytes?: number | undefined;
  /** The same as in `behaviour`: whether events may come gzipped. Default: as the preset has it. */
  readonly compression?: boolean | undefined;
}

/** The options after checking, with defaults. */
export interface Settings {
  readonly port: number;
  readonly apiPort: number;
  readonly host: string;
  readonly data: string | undefined;
  readonly reset: boolean;
  readonly seed: string | undefined;
  readonly limits: RetentionLimits;
  readonly apiKey: string | undefined;
  readonly token: string | undefined;
  readonly primaryKey: string | undefined;
  readonly customers: Iterable<Customer> | undefined;
  readonly logger: Logger;
  readonly behaviour: BehaviourSwitch;
  readonly faults: readonly (Fault | Script)[];
  readonly faultSeed: number;
}

const TOKEN_BYTES = 24;
const DEFAULT_MAX_REQUESTS = 200_000;

// A record and not a list, so that an option added to the type and not here does not compile.
const NAMES: Readonly<Record<keyof EmulatorOptions, true>> = {
  port: true,
  apiPort: true,
  host: true,
  data: true,
  reset: true,
  seed: true,
  maxEvents: true,
  maxAgeMs: true,
  maxRequests: true,
  apiKey: true,
  token: true,
  primaryKey: true,
  customers: true,
  logger: true,
  preset: true,
  behaviour: true,
  faults: true,
  faultSeed: true,
  maxBodyBytes: true,
  compression: true,
};

/** The names of all options. */
export const OPTION_NAMES: readonly string[] = Object.keys(NAMES);

/** Checks options and fills in defaults. Throws {@link ConfigError} for the first that is wrong. */
export function checkOptions(options: EmulatorOptions): Settings {
  checkNames('options', options, OPTION_NAMES);
  const { port = 0, apiPort = 0, faults = [], faultSeed = 1 } = options;
  const { host = '127.0.0.1', data, apiKey, token, primaryKey, customers, logger = silentLogger } = options;
  check('port', port, isPort(port), PORT_RULE);
  check('apiPort', apiPort, isPort(apiPort), PORT_RULE);
  const distinct = port === 0 || port !== apiPort;
  check('apiPort', apiPort, distinct, 'must differ from port: the endpoints have an address each');
  check('host', host, isNonEmptyString(host), 'must be a host name or an IP address');
  check('data', data, data === undefined || isNonEmptyString(data), 'must be the path of a directory');
  const { reset = false, seed, maxEvents, maxAgeMs, maxRequests = DEFAULT_MAX_REQUESTS } = options;
  check('reset', reset, typeof reset === 'boolean', 'must be true or false');
  check('reset', reset, !reset || data !== undefined, 'needs a data directory to start anew in');
  check('seed', seed, seed === undefined || isNonEmptyString(seed), 'must be the path of a file');
  for (const [name, value] of Object.entries({ maxEvents, maxAgeMs, maxRequests })) {
    check(name, value, value === undefined || isCount(value), 'must be a whole number from 1');
  }
  if (apiKey !== undefined && !isApiKey(apiKey)) {
    // The value stays out of the message: it may be a real key with a slip in it.
    throw new ConfigError('apiKey', 'apiKey must be visible ASCII characters without blanks or line breaks');
  }
  if (token !== undefined && !isApiKey(token)) {
    throw new ConfigError('token', 'token must be visible ASCII characters without blanks or line breaks');
  }
  const namesAttribute = primaryKey === undefined || isNonEmptyString(primaryKey);
  check('primaryKey', primaryKey, namesAttribute, 'must be the name of an attribute');
  if (customers !== undefined) checkIterable('customers', customers);
  check('logger', logger, isLogger(logger), 'must have the functions debug, info, warn and error');
  check('faults', faults, Array.isArray(faults), 'must be an array of faults');
  check('faultSeed', faultSeed, Number.isSafeInteger(faultSeed), 'must be a whole number');
  return {
    port,
    apiPort,
    host,
    data,
    reset,
    seed,
    limits: { maxEvents, maxAgeMs, maxRequests },
    apiKey,
    token: token ?? defaultToken(host),
    primaryKey,
    customers,
    logger,
    behaviour: toBehaviour(options),
    faults: faults.map((fault, index) => readFault(fault, `faults[${index}]`)),
    faultSeed,
  };
}

function toBehaviour({
  preset,
  behaviour = {},
  maxBodyBytes,
  compression,
}: EmulatorOptions): BehaviourSwitch {
  const shorthands = { maxBodyBytes, compression };
  checkShorthands(shorthands);
  readBehaviour(behaviour);
  const settings = { ...shorthands, ...behaviour };
  const chosen = new BehaviourSwitch();
  // Where nothing is given, nothing is chosen: then what the data directory keeps holds.
  const isGiven = [preset, ...Object.values(settings)].some((value) => value !== undefined);
  if (isGiven) chosen.change({ preset, behaviour: settings });
  return chosen;
}

function defaultToken(host: string): string | undefined {
  return isLoopback(host) ? undefined : randomBytes(TOKEN_BYTES).toString('base64url');
}

const PORT_RULE = 'must be an integer from 0 to 65535 (0 for any free port)';

function check(option: string, value: unknown, valid: boolean, rule: string): void {
  if (!valid) throw new ConfigError(option, `${option} ${rule}, got ${describe(value)}`);
}

function isPort(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 65_535;
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 1;
}

/** Throws {@link ConfigError} where `value` is not an array, a set, or the like. */
export function checkIterable(option: string, value: unknown): void {
  const isIterable = typeof value === 'object' && value !== null && Symbol.iterator in value;
  check(option, value, isIterable, 'must be an iterable of objects');
}

function isLogger(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return ['debug', 'info', 'warn', 'error'].every((name) => typeof Reflect.get(value, name) === 'function');
}
