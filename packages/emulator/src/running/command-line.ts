import { type ParseArgsConfig, parseArgs } from 'node:util';
import { ConfigError } from '@sluice/protocol';
import { refusal } from '@sluice/protocol/toolbox';
import { isPresetName, PRESETS } from '../behaviour/presets.ts';
import { messageOf } from '../messages.ts';
import type { EmulatorOptions } from './options.ts';

/** The parsed command line. */
export interface Command {
  readonly help: boolean;
  readonly version: boolean;
  /** Options for `startEmulator()`, apart from the logger and those in files. */
  readonly options: EmulatorOptions;
  /** Paths of files with further options. */
  readonly files: Readonly<Record<'customers' | 'behaviour' | 'faults', string | undefined>>;
  readonly logLevel: string;
}

/** What `--help` prints. */
export const HELP = `sluice-emulator: the service itself on this machine, for development and tests

Usage: npx sluice-emulator [options]

  --port N            port of event ingestion, 0 for any free port (default 4100)
  --api-port N        port of reading customers, 0 for any free port (default 4200)
  --host HOST         address to listen on (default 127.0.0.1)
  --data DIR          keep everything in this directory (default: memory only)
  --reset             start anew: delete what an emulator kept in the data directory
  --seed FILE         load the events of FILE, the JSON of one a line, where there are none yet
  --max-events N      keep the newest N events, or all (default 1000000)
  --max-age-ms N      keep events for N milliseconds only (default: for ever)
  --max-requests N    keep the newest N requests only (default 200000)
  --api-key KEY       API key to accept (default: the one in the data directory; in memory: emulator_local)
  --token TOKEN       what to present for pages and admin routes (default: nothing on loopback, else a new one)
  --primary-key NAME  select this attribute as primary key
  --customers FILE    add the customers of FILE, one JSON object a line
  --preset NAME       what the service answers where the interface does not show it: plain, strict, quiet or
                      legacy (default: as the data directory keeps it, else plain)
  --behaviour FILE    single settings of it: FILE holds them as a JSON object, such as {"maxEvents":20}
  --faults FILE       switch on the faults of FILE, a JSON array, such as [{"kind":"status","status":503}]
  --fault-seed N      where the choices of faults come from: the same gives the same (default 1)
  --max-body-bytes N  largest request body (default: that of the preset; plain: 33554432)
  --compression       let events come gzipped (default: answered with 415)
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

const LOG_LEVELS: readonly string[] = ['debug', 'info', 'warn', 'error', 'silent'];
/** The options with a flag of their own name, by what the flag takes. */
const TEXTS = ['host', 'data', 'seed', 'apiKey', 'token', 'primaryKey', 'preset'] as const;
const NUMBERS = [
  'port',
  'apiPort',
  'maxEvents',
  'maxAgeMs',
  'maxRequests',
  'faultSeed',
  'maxBodyBytes',
] as const;
const FILES = ['customers', 'behaviour', 'faults'] as const;
const SWITCHES = ['reset', 'compression', 'version', 'help'] as const;

const FLAGS: NonNullable<ParseArgsConfig['options']> = {
  ...flags('string', ...TEXTS, ...NUMBERS, ...FILES, 'logLevel'),
  ...flags('boolean', ...SWITCHES),
  help: { type: 'boolean', short: 'h' },
};

/** Parses the arguments of the process. Throws {@link ConfigError} for a wrong one. */
export function parseCommandLine(args: readonly string[]): Command {
  const values = parse(args);
  const text = (name: string) => values[flagOf(name)] as string | undefined;
  const isOn = (name: string) => values[flagOf(name)] as boolean | undefined;
  const { logLevel = 'warn', preset } = pick(['logLevel', 'preset'], text);
  if (!LOG_LEVELS.includes(logLevel)) throw refusal('logLevel', `one of ${LOG_LEVELS.join(', ')}`, logLevel);
  if (preset !== undefined && !isPresetName(preset)) {
    throw refusal('preset', `one of ${Object.keys(PRESETS).join(', ')}`, preset);
  }
  const {
    port = 4100,
    apiPort = 4200,
    ...numbers
  } = pick(NUMBERS, (name) =>
    name === 'maxEvents' && text(name) === 'all' ? Number.POSITIVE_INFINITY : toNumber(name, text(name)),
  );
  // A data directory keeps its key. Without one, the key is always the same, so that a client needs no new settings.
  const { apiKey = values.data === undefined ? 'emulator_local' : undefined, ...texts } = pick(TEXTS, text);
  return {
    help: values.help === true,
    version: values.version === true,
    logLevel,
    files: pick(FILES, text),
    options: { ...texts, ...numbers, ...pick(['reset', 'compression'], isOn), port, apiPort, apiKey, preset },
  };
}

/**
 * Rewrites the message of a ConfigError for the command line: `apiPort must …` becomes `--api-port must …`, and `faults[0].kind
 * must …` becomes `--faults[0].kind must …`.
 */
export function inFlagWords({ option, message }: ConfigError): string {
  const [name = ''] = option.split(/[.[]/, 1);
  const flag = flagOf(name);
  if (!Object.hasOwn(FLAGS, flag) || !message.startsWith(option)) return message;
  return `--${flag}${message.slice(name.length)}`;
}

function parse(args: readonly string[]): Readonly<Record<string, unknown>> {
  try {
    return parseArgs({ args: [...args], options: FLAGS, strict: true, allowPositionals: false }).values;
  } catch (error) {
    throw new ConfigError('arguments', `${messageOf(error)} (see --help)`, { cause: error });
  }
}

function toNumber(option: string, text: string | undefined): number | undefined {
  if (text === undefined || /^\d{1,15}$/.test(text)) return text === undefined ? undefined : Number(text);
  throw refusal(option, 'a whole number', text);
}

/** The values of these names. */
function pick<Name extends string, Value>(
  names: readonly Name[],
  read: (name: Name) => Value,
): Readonly<Record<Name, Value>> {
  return Object.fromEntries(names.map((name) => [name, read(name)])) as Record<Name, Value>;
}

function flags(type: 'string' | 'boolean', ...names: readonly string[]): typeof FLAGS {
  return pick(names.map(flagOf), () => ({ type }));
}

/** `apiPort` as a flag: `api-port`. */
function flagOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
