import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { ConfigError, type Customer } from '@sluice/protocol';
import { describe, oneOf, readRules, refusal } from '@sluice/protocol/toolbox';
import { isLoopback, LOCAL_KEY } from '../admin/operator-access.ts';
import { isJsonObject } from '../events/json-text.ts';
import { messageOf } from '../messages.ts';
import type { EmulatorOptions } from './options.ts';

/** The parsed command line. */
export interface Command {
  readonly help: boolean;
  readonly version: boolean;
  /** Options for `startEmulator()`, apart from the logger. It checks them. */
  readonly options: EmulatorOptions;
  readonly logLevel: string;
}

/** What `--help` prints. */
export const HELP = `sluice-emulator: the service itself on this machine, for development and tests

Usage: npx sluice-emulator [options]

  --port N            port of event ingestion, 0 for any free port (default 4100)
  --api-port N        port of reading customers, 0 for any free port (default 4200)
  --host HOST         address to listen on (default 127.0.0.1)
  --data DIR          keep everything in this directory (default: memory only)
  --max-events N      keep the newest N events, or all (default 1000000)
  --api-key KEY       API key to accept (default: that of the data directory; in memory emulator_local, beyond
                      loopback a new one)
  --token TOKEN       what to present for pages and their routes (default: nothing on loopback, else a new one)
  --primary-key NAME  select this attribute as primary key
  --customers FILE    add the customers of FILE, one JSON object a line
  --preset NAME       what the service answers where the interface does not show it: plain, strict, quiet or
                      legacy (default: as the data directory keeps it, else plain)
  --behaviour JSON    single settings of it, such as '{"maxEvents":20}', or a file with them
  --faults JSON       switch on faults, such as '[{"kind":"status","status":503}]', or those of a file
  --fault-seed N      where the choices of faults come from: the same gives the same (default 1)
  --log-level LEVEL   debug, info, warn, error or silent (default warn); the log goes to standard error
  --version           show the version and end
  --help, -h          show this and end

Once it is ready, it prints one line of JSON on standard output:
  {"baseUrl":…,"apiUrl":…,"pagesUrl":…,"apiKey":…,"primaryKey":…}
It ends on SIGTERM or SIGINT. Exit codes: 0 ended, 1 failed (a port in use, too), 2 wrong arguments.

Examples:
  npx sluice-emulator --primary-key email           in memory, on ports 4100 and 4200
  npx sluice-emulator --data ./service --port 0     keeps what it has, on any free port
`;

const LOG_LEVEL = { logLevel: oneOf(['debug', 'info', 'warn', 'error', 'silent'], 'warn') };

/** What the text after a flag means. */
type Read = (text: string, option: string) => unknown;
const text: Read = (given) => given;
const number: Read = (given, option) => {
  if (/^\d{1,15}$/.test(given)) return Number(given);
  throw refusal(option, 'a whole number', given);
};

/** How each option is read from its flag; the others are switches. */
const VALUES: Readonly<Record<string, Read>> = {
  ...{ port: number, apiPort: number, host: text, data: text },
  maxEvents: (given, option) => (given === 'all' ? Number.POSITIVE_INFINITY : number(given, option)),
  ...{ apiKey: text, token: text, primaryKey: text },
  customers: readCustomersFile,
  ...{ preset: text, behaviour: readJson, faults: readJson, faultSeed: number, logLevel: text },
};
const SWITCHES = ['version', 'help'];
const NAMES: ReadonlyMap<string, string> = new Map(
  [...Object.keys(VALUES), ...SWITCHES].map((name) => [flagOf(name), name]),
);

/** Parses the arguments of the process. Throws {@link ConfigError} for a wrong one. */
export function parseCommandLine(args: readonly string[]): Command {
  const given: Record<string, unknown> = {};
  for (const [flag, value] of Object.entries(parse(args))) {
    const name = NAMES.get(flag) ?? flag;
    given[name] = typeof value === 'string' ? VALUES[name]?.(value, name) : value;
  }
  const { help = false, version = false, logLevel, ...options } = given;
  const { data, host = '127.0.0.1' } = options;
  // A data directory keeps its key. Without one, the key is always the same, so that a client needs no new settings. Beyond
  // loopback it is a new one: otherwise, the whole network could read events.
  const key = data === undefined && isLoopback(String(host)) ? { apiKey: LOCAL_KEY } : {};
  return {
    help: help === true,
    version: version === true,
    logLevel: String(readRules(LOG_LEVEL, '', { logLevel }).logLevel),
    options: { port: 4100, apiPort: 4200, ...key, ...options },
  };
}

/**
 * Rewrites the message of a ConfigError for the command line: `apiPort must …` becomes `--api-port must …`, and `faults[0].kind
 * must …` becomes `--faults[0].kind must …`.
 */
export function inFlagWords({ option, message }: ConfigError): string {
  const [name = ''] = option.split(/[.[]/, 1);
  const flag = flagOf(name);
  if (!NAMES.has(flag) || !message.startsWith(option)) return message;
  return `--${flag}${message.slice(name.length)}`;
}

function parse(args: readonly string[]): object {
  const options = Array.from(NAMES, ([flag, name]) => {
    const type = SWITCHES.includes(name) ? ('boolean' as const) : ('string' as const);
    return [flag, { type, ...(name === 'help' && { short: 'h' }) }] as const;
  });
  try {
    return parseArgs({ args: [...args], options: Object.fromEntries(options) }).values;
  } catch (error) {
    throw new ConfigError('arguments', `${messageOf(error)} (see --help)`, { cause: error });
  }
}

/** `apiPort` as a flag: `api-port`. */
function flagOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** Reads customers from a file with one JSON object per line. Skips blank lines. Throws {@link ConfigError}. */
export function readCustomersFile(path: string): Customer[] {
  let number = 0;
  try {
    return readFileSync(path, 'utf8')
      .split('\n') // not at U+2028 or U+2029: these may occur inside a JSON string
      .flatMap((line): Customer[] => {
        number += 1;
        const text = line.trim(); // also removes a byte order mark
        if (text === '') return [];
        const value: unknown = JSON.parse(text);
        if (isJsonObject(value)) return [value];
        throw new Error(`it is ${describe(value)}`);
      });
  } catch (error) {
    const place = number === 0 ? '' : `line ${number}: `;
    throw unreadable('customers', 'a file with one JSON object a line', path, place + messageOf(error));
  }
}

/** Reads JSON, or a file of it. Throws {@link ConfigError}. The value is not checked. */
function readJson(given: string, option: string): unknown {
  try {
    return JSON.parse(/^\s*[[{]/.test(given) ? given : readFileSync(given, 'utf8').replace(/^\uFEFF/, ''));
  } catch (error) {
    throw unreadable(option, 'JSON, or a file of it', given, messageOf(error));
  }
}

function unreadable(option: string, rule: string, given: string, why: string): ConfigError {
  return new ConfigError(option, `${option} must be ${rule}, got ${describe(given)}: ${why}`);
}
