import { type ParseArgsConfig, parseArgs } from 'node:util';
import { ConfigError } from '@sluice/protocol';
import { describe, refusal } from '@sluice/protocol/toolbox';
import { isPresetName, PRESETS, type PresetName } from '../behaviour/presets.ts';
import type { OptionFiles } from './option-files.ts';
import type { EmulatorOptions } from './options.ts';

/** The parsed command line. */
export interface Command {
  readonly help: boolean;
  readonly version: boolean;
  /** Options for `startEmulator()`, apart from the logger and those in files. */
  readonly options: EmulatorOptions;
  /** Files with further options. */
  readonly files: OptionFiles;
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
  --max-events N      keep the newest N events only (default: all)
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

const DEFAULTS = { port: 4100, apiPort: 4200, apiKey: 'emulator_local' } as const;
const LOG_LEVELS: readonly string[] = ['debug', 'info', 'warn', 'error', 'silent'];

const FLAGS = {
  port: { type: 'string' },
  'api-port': { type: 'string' },
  host: { type: 'string' },
  data: { type: 'string' },
  reset: { type: 'boolean' },
  seed: { type: 'string' },
  'max-events': { type: 'string' },
  'max-age-ms': { type: 'string' },
  'max-requests': { type: 'string' },
  'api-key': { type: 'string' },
  token: { type: 'string' },
  'primary-key': { type: 'string' },
  customers: { type: 'string' },
  preset: { type: 'string' },
  behaviour: { type: 'string' },
  faults: { type: 'string' },
  'fault-seed': { type: 'string' },
  'max-body-bytes': { type: 'string' },
  compression: { type: 'boolean' },
  'log-level': { type: 'string', default: 'warn' },
  version: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const satisfies ParseArgsConfig['options'];

/** Parses the arguments of the process. Throws {@link ConfigError} for a wrong one. */
export function parseCommandLine(args: readonly string[]): Command {
  const values = parse(args);
  const logLevel = values['log-level'];
  if (!LOG_LEVELS.includes(logLevel)) {
    const rule = `must be one of ${LOG_LEVELS.join(', ')}`;
    throw new ConfigError('logLevel', `logLevel ${rule}, got ${describe(logLevel)}`);
  }
  return {
    help: values.help,
    version: values.version,
    logLevel,
    files: { customers: values.customers, faults: values.faults, behaviour: values.behaviour },
    options: {
      port: toNumber('port', values.port) ?? DEFAULTS.port,
      apiPort: toNumber('apiPort', values['api-port']) ?? DEFAULTS.apiPort,
      host: values.host,
      data: values.data,
      reset: values.reset,
      seed: values.seed,
      maxEvents: toNumber('maxEvents', values['max-events']),
      maxAgeMs: toNumber('maxAgeMs', values['max-age-ms']),
      maxRequests: toNumber('maxRequests', values['max-requests']),
      // A data directory keeps its key. Without one, the key is always the same, so that a client needs no new settings.
      apiKey: values['api-key'] ?? (values.data === undefined ? DEFAULTS.apiKey : undefined),
      token: values.token,
      primaryKey: values['primary-key'],
      preset: toPresetName(values.preset),
      faultSeed: toNumber('faultSeed', values['fault-seed']),
      maxBodyBytes: toNumber('maxBodyBytes', values['max-body-bytes']),
      compression: values.compression,
    },
  };
}

/**
 * Rewrites the message of a ConfigError for the command line: `apiPort must …` becomes `--api-port must …`, and `faults[0].kind
 * must …` becomes `--faults[0].kind must …`.
 */
export function inFlagWords({ option, message }: ConfigError): string {
  const [name = ''] = option.split(/[.[]/, 1);
  const flag = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  if (!Object.hasOwn(FLAGS, flag) || !message.startsWith(option)) return message;
  return `--${flag}${message.slice(name.length)}`;
}

// The return type is inferred, because parseArgs derives it from FLAGS.
function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: FLAGS, strict: true, allowPositionals: false }).values;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError('arguments', `${reason} (see --help)`, { cause: error });
  }
}

function toPresetName(text: string | undefined): PresetName | undefined {
  if (text === undefined || isPresetName(text)) return text;
  throw refusal('preset', `one of ${Object.keys(PRESETS).join(', ')}`, text);
}

function toNumber(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new ConfigError(option, `${option} must be a whole number, got ${describe(text)}`);
}
