import { randomBytes } from 'node:crypto';
import { ConfigError, type Customer, isApiKey } from '@sluice/protocol';
import { describe, hasMethods, isNonEmptyString } from '@sluice/protocol/toolbox';
import type { BehaviourChange } from '../admin/contract.ts';
import { isLoopback } from '../admin/operator-access.ts';
import { type BehaviourSettings, checkShorthands, readBehaviour } from '../behaviour/behaviour.ts';
import { checkNames } from '../behaviour/known-names.ts';
import { isPresetName, PRESETS, type PresetName } from '../behaviour/presets.ts';
import type { Fault, Script } from '../faults/fault.ts';
import { readFault } from '../faults/fault-rules.ts';
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
  /**
   * Keep this many of the newest events, from 1; older ones are removed within a second. `Number.POSITIVE_INFINITY` for all.
   * Default 1,000,000.
   */
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
export interface Settings extends Omit<EmulatorOptions, 'faults' | 'behaviour'> {
  readonly port: number;
  readonly apiPort: number;
  readonly host: string;
  readonly logger: Logger;
  /** Undefined if nothing was chosen: then the choice that the data directory stores applies. */
  readonly behaviour: BehaviourChange | undefined;
  readonly faults: readonly (Fault | Script)[];
  readonly faultSeed: number;
}

/** A test of an option, and what the option must be. */
type Check = readonly [isValid: (value: unknown) => boolean, rule: string];

const TOKEN_BYTES = 24;
const PORT: Check = [
  (value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 65_535,
  'must be an integer from 0 to 65535 (0 for any free port)',
];
const COUNT: Check = [
  (value) => Number.isSafeInteger(value) && Number(value) >= 1,
  'must be a whole number from 1',
];
const SECRET: Check = [isApiKey, 'must be visible ASCII characters without blanks or line breaks'];
const CHECKED_LATER: Check = [() => true, ''];

/** A check for iterable objects, such as arrays or sets. */
export const ITERABLE: Check = [
  (value) => typeof value === 'object' && value !== null && Symbol.iterator in value,
  'must be an iterable of objects',
];

// A record, not a list: if an option of the type is missing here, the code does not compile.
const CHECKS: Readonly<Record<keyof EmulatorOptions, Check>> = {
  port: PORT,
  apiPort: PORT,
  host: [isNonEmptyString, 'must be a host name or an IP address'],
  data: [isNonEmptyString, 'must be the path of a directory'],
  reset: [(value) => typeof value === 'boolean', 'must be true or false'],
  seed: [isNonEmptyString, 'must be the path of a file'],
  maxEvents: [
    (value) => value === Number.POSITIVE_INFINITY || COUNT[0](value),
    'must be a whole number from 1, or Number.POSITIVE_INFINITY for all',
  ],
  maxAgeMs: COUNT,
  maxRequests: COUNT,
  apiKey: SECRET,
  token: SECRET,
  primaryKey: [isNonEmptyString, 'must be the name of an attribute'],
  customers: ITERABLE,
  logger: [
    (value) => hasMethods(value, 'debug', 'info', 'warn', 'error'),
    'must have the functions debug, info, warn and error',
  ],
  preset: [isPresetName, `must be one of ${Object.keys(PRESETS).join(', ')}`],
  behaviour: CHECKED_LATER,
  faults: [Array.isArray, 'must be an array of faults'],
  faultSeed: [Number.isSafeInteger, 'must be a whole number'],
  maxBodyBytes: CHECKED_LATER,
  compression: CHECKED_LATER,
};

/** The names of all options. */
export const OPTION_NAMES: readonly string[] = Object.keys(CHECKS);

/** Checks options and fills in defaults. Throws {@link ConfigError} for the first wrong one. */
export function checkOptions(options: EmulatorOptions): Settings {
  checkNames('options', options, OPTION_NAMES);
  for (const [name, rule] of Object.entries(CHECKS)) {
    const value = options[name as keyof EmulatorOptions];
    if (value !== undefined) check(name, value, rule);
  }
  const { port = 0, apiPort = 0, host = '127.0.0.1', logger = silentLogger } = options;
  const { faults = [], faultSeed = 1, reset = false, data, token = defaultToken(host) } = options;
  const isDistinct = () => port === 0 || port !== apiPort;
  check('apiPort', apiPort, [isDistinct, 'must differ from port: the endpoints have an address each']);
  check('reset', reset, [() => !reset || data !== undefined, 'needs a data directory to start anew in']);
  return {
    ...options,
    ...{ port, apiPort, host, data, logger, token, faultSeed },
    behaviour: toBehaviour(options),
    faults: faults.map((fault, index) => readFault(fault, `faults[${index}]`)),
  };
}

/** Throws {@link ConfigError} if `value` does not pass. */
export function check(option: string, value: unknown, [isValid, rule]: Check): void {
  if (isValid(value)) return;
  // The message does not contain a secret: it may be a real key with a typing error.
  const got = rule === SECRET[1] ? '' : `, got ${describe(value)}`;
  throw new ConfigError(option, `${option} ${rule}${got}`);
}

function toBehaviour(options: EmulatorOptions): BehaviourChange | undefined {
  const { preset, behaviour = {}, maxBodyBytes, compression } = options;
  const shorthands = { maxBodyBytes, compression };
  checkShorthands(shorthands);
  readBehaviour(behaviour);
  const settings = { ...shorthands, ...behaviour };
  const isGiven = [preset, ...Object.values(settings)].some((value) => value !== undefined);
  return isGiven ? { preset, behaviour: settings } : undefined;
}

function defaultToken(host: string): string | undefined {
  return isLoopback(host) ? undefined : randomBytes(TOKEN_BYTES).toString('base64url');
}
