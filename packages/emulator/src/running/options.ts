import { randomBytes } from 'node:crypto';
import { ConfigError, type Customer, isApiKey } from '@sluice/protocol';
import { ANYTHING, methods, nonEmpty, type Rule, readRules, whole } from '@sluice/protocol/toolbox';
import type { BehaviourChange } from '../admin/contract.ts';
import { isLoopback } from '../admin/operator-access.ts';
import { type BehaviourSettings, readBehaviour } from '../behaviour/behaviour.ts';
import { PRESET, type PresetName } from '../behaviour/presets.ts';
import type { Fault, Script } from '../faults/fault.ts';
import { readFault } from '../faults/fault-rules.ts';
import { type Logger, silentLogger } from './logger.ts';

/** How an emulator starts. Every option may be left out. */
export interface EmulatorOptions {
  /** Port for event ingestion. Default 0: any free port. */
  readonly port?: number | undefined;
  /** Port for reading customers, for the pages and for their routes. Default 0: any free port. */
  readonly apiPort?: number | undefined;
  /** The address to listen on. Default `'127.0.0.1'`: this machine only. */
  readonly host?: string | undefined;
  /** Directory that stores everything across restarts; created if it is missing. Default: memory only. */
  readonly data?: string | undefined;
  /**
   * Keep this many of the newest events, from 1; older ones are removed within a second. `Number.POSITIVE_INFINITY` for all.
   * Default 1,000,000.
   */
  readonly maxEvents?: number | undefined;
  /** The API key to accept: visible ASCII. Default: the oldest valid one in the data directory, else a new one. */
  readonly apiKey?: string | undefined;
  /**
   * The token that the operator must present to see the pages and use their routes: visible ASCII. Default: none on loopback;
   * elsewhere a new one for each start, which is part of `pagesUrl`.
   */
  readonly token?: string | undefined;
  /** The primary key to select. Default: as stored in the data directory, else none. */
  readonly primaryKey?: string | undefined;
  /** Customers to add at the start. Needs a primary key. */
  readonly customers?: Iterable<Customer> | undefined;
  /**
   * Gets requests (debug), refusals and the start (info), that old events are removed (warn) and failures (error), but never a
   * key or a payload. Default: none.
   */
  readonly logger?: Logger | undefined;
  /**
   * A reading of what the interface does not show: `plain`, `strict`, `quiet` or `legacy`. If this option or `behaviour` is given,
   * it replaces the whole choice that the data directory stores. Default: the stored choice, else `plain`.
   */
  readonly preset?: PresetName | undefined;
  /** Settings of the service's behaviour that differ from the preset. */
  readonly behaviour?: BehaviourSettings | undefined;
  /** Faults to switch on at the start. Each is a fault, a script, or an array of faults, which is a script. Default: none. */
  readonly faults?: readonly (Fault | Script | readonly Fault[])[] | undefined;
  /** Seed of the random choices of faults, a whole number. The same seed gives the same choices. Default 1. */
  readonly faultSeed?: number | undefined;
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

const TOKEN_BYTES = 24;
const PORT = whole(0, 0, 65_535);
// The message does not contain the value: it may be a real key with a typing error.
const SECRET: Rule = [
  (value, option = '') => {
    if (isApiKey(value)) return true;
    const rule = 'must be visible ASCII characters without blanks or line breaks';
    throw new ConfigError(option, `${option} ${rule}`);
  },
  '',
];

// A record, not a list: if an option of the type is missing here, the code does not compile.
const RULES: Readonly<Record<keyof EmulatorOptions, Rule>> = {
  port: PORT,
  apiPort: PORT,
  host: nonEmpty('127.0.0.1', 'a host name or an IP address'),
  data: nonEmpty(undefined, 'the path of a directory'),
  maxEvents: [
    (value) => value === Number.POSITIVE_INFINITY || (Number.isSafeInteger(value) && Number(value) >= 1),
    'a whole number from 1, or Infinity (on the command line: all)',
  ],
  apiKey: SECRET,
  token: SECRET,
  primaryKey: nonEmpty(undefined, 'the name of an attribute'),
  customers: ANYTHING, // the audience checks them
  logger: [
    methods('debug', 'info', 'warn', 'error')[0],
    'an object with debug, info, warn and error',
    silentLogger,
  ],
  preset: PRESET,
  behaviour: [(value) => readBehaviour(value) !== undefined, ''],
  faults: [Array.isArray, 'an array of faults', []],
  faultSeed: [Number.isSafeInteger, 'a whole number', 1],
};

/** Checks options and fills in defaults. Throws {@link ConfigError} for the first wrong one. */
export function checkOptions(options: EmulatorOptions): Settings {
  // The cast is safe: the rules have the names of the type, and they check each value.
  const read = readRules(RULES, '', options) as unknown as Omit<Settings, 'behaviour'>;
  const { port, apiPort, host, faults, token = defaultToken(host) } = read;
  if (port !== 0 && port === apiPort) {
    throw new ConfigError('apiPort', 'apiPort must differ from port: the endpoints have an address each');
  }
  const { preset, behaviour = {} } = options;
  const isChosen = [preset, ...Object.values(behaviour)].some((value) => value !== undefined);
  return {
    ...read,
    token,
    behaviour: isChosen ? { preset, behaviour } : undefined,
    faults: faults.map((fault, index) => readFault(fault, `faults[${index}]`)),
  };
}

function defaultToken(host: string): string | undefined {
  return isLoopback(host) ? undefined : randomBytes(TOKEN_BYTES).toString('base64url');
}
