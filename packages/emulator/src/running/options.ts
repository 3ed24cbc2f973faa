import { randomBytes } from 'node:crypto';
import { ConfigError, type Customer, isApiKey } from '@sluice/protocol';
import { describe, isNonEmptyString } from '@sluice/protocol/toolbox';
import { isLoopback } from '../admin/operator-access.ts';
import { type BehaviourSettings, checkShorthands, readBehaviour } from '../behaviour/behaviour.ts';
import { BehaviourSwitch } from '../behaviour/behaviour-switch.ts';
import { checkNames } from '../behaviour/known-names.ts';
import type { PresetName } from '../behaviour/presets.ts';
import type { Fault, Script } from '../faults/fault.ts';
import { readFault } from '../faults/fault-rules.ts';
import type { RetentionLimits } from '../storage/retention.ts';
import { type Logger, silentLogger } from './logger.ts';

/** How an emulator starts. Every option may be left out. */
export interface EmulatorOptions {
  /** Port for event ingestion. Default 0: any free port. */
  readonly port?: number | undefined;
  /** Port for reading customers, for the pages and for the inspection routes. Default 0: any free port. */
  readonly apiPort?: number | undefined;
  /** The address to listen on. Default `'127.0.0.1'`: this machine only. */
  readonly host?: string | undefined;
  /** Directory that stores everything across restarts; created if it is missing. Default: memory only. */
  readonly data?: string | undefined;
  /** Start anew: delete what an emulator stored in `data`. Default false. */
  readonly reset?: boolean | undefined;
  /**
   * File with events to load at the start: one JSON object per line, as the event tracker exports them. Ignored if an event was
   * ever stored in `data`. Default: none.
   */
  readonly seed?: string | undefined;
  /** Keep only this many of the newest events, from 1; older ones are removed within a second. Default: all. */
  readonly maxEvents?: number | undefined;
  /** Keep events for this many milliseconds, from 1. Default: for ever. */
  readonly maxAgeMs?: number | undefined;
  /** Keep this many of the newest requests for the requests page, from 1. Default 200,000. */
  readonly maxRequests?: number | undefined;
  /** The API key to accept: visible ASCII. Default: the oldest valid one in the data directory, else a new one. */
  readonly apiKey?: string | undefined;
  /**
   * The token that the operator must present to see the pages and use the admin routes: visible ASCII. Default: none on loopback;
   * elsewhere a new one for each start, which is part of `pagesUrl`.
   */
  readonly token?: string | undefined;
  /** The primary key to select. Default: as stored in the data directory, else none. */
  readonly primaryKey?: string | undefined;
  /** Customers to add at the start. Needs a primary key. */
  readonly customers?: Iterable<Customer> | undefined;
  /**
   * Gets requests (debug), refusals and the start (info), problems of the search index (warn) and failures (error), but never a
   * key or a payload. Default: none.
   */
  readonly logger?: Logger | undefined;
  /**
   * A reading of what the interface does not show: `plain`, `strict`, `quiet` or `legacy`. If this option, `behaviour`,
   * `maxBodyBytes` or `compression` is given, it replaces the whole choice that the data directory stores. Default: the stored
   * choice, else `plain`.
   */
  readonly preset?: PresetName | undefined;
  /** Settings of the service's behaviour that differ from the preset. */
  readonly behaviour?: BehaviourSettings | undefined;
  /** Faults to switch on at the start. Each is a fault, a script, or an array of faults, which is a script. Default: none. */
  readonly faults?: readonly (Fault | Script | readonly Fault[])[] | undefined;
  /** Seed of the random choices of faults, a whole number. The same seed gives the same choices. Default 1. */
  readonly faultSeed?: number | undefined;
  /** Same as in `behaviour`: maximum size of a request body, in bytes. Default: that of the preset. */
  readonly maxBodyBytes?: number | undefined;
  /** Same as in `behaviour`: whether events may be gzipped. Default: that of the preset. */
  readonly compression?: boolean | undefined;
}

/** The checked options, with defaults. */
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

// A record, not a list: if an option of the type is missing here, the code does not compile.
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

/** Checks options and fills in defaults. Throws {@link ConfigError} for the first wrong one. */
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
    // The message does not contain the value: it may be a real key with a typing error.
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
  // If no option is given, nothing is chosen, and the choice that the data directory stores applies.
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

/** Throws {@link ConfigError} if `value` is not an iterable object, such as an array or a set. */
export function checkIterable(option: string, value: unknown): void {
  const isIterable = typeof value === 'object' && value !== null && Symbol.iterator in value;
  check(option, value, isIterable, 'must be an iterable of objects');
}

function isLogger(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return ['debug', 'info', 'warn', 'error'].every((name) => typeof Reflect.get(value, name) === 'function');
}
