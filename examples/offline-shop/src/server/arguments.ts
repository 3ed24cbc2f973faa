import { parseArgs } from 'node:util';

/** Where the shop and the service behind it listen. Port 0 means any free port. */
export interface ShopArguments {
  readonly port: number;
  readonly servicePort: number;
  readonly apiPort: number;
  readonly host: string;
  readonly help: boolean;
}

/** The command line is wrong. The message says why. */
export class ArgumentError extends Error {
  override readonly name: string = 'ArgumentError';
}

export const HELP = `Usage: npm run example:shop [-- options]

  --port N          port of the shop's page, 0 for any free one (default 4300)
  --service-port N  port of the service that takes the events (default 4301)
  --api-port N      port to ask the service what arrived (default 4302)
  --host ADDRESS    address to listen on (default 127.0.0.1: this machine only)
  --help            show this and end

It runs until Ctrl-C. Exit codes: 0 ended, 1 failed, 2 wrong arguments.
`;

/** Throws {@link ArgumentError} for an unknown argument, or a wrong port. */
export function parseArguments(args: readonly string[]): ShopArguments {
  const values = parse(args);
  return {
    port: toPort('port', values.port),
    servicePort: toPort('service-port', values['service-port']),
    apiPort: toPort('api-port', values['api-port']),
    host: values.host,
    help: values.help,
  };
}

// No return type here: parseArgs derives it from the options.
function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        port: { type: 'string', default: '4300' },
        'service-port': { type: 'string', default: '4301' },
        'api-port': { type: 'string', default: '4302' },
        host: { type: 'string', default: '127.0.0.1' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }).values;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ArgumentError(`${reason}\nSee --help.`, { cause: error });
  }
}

function toPort(flag: string, text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new ArgumentError(`--${flag} must be a number from 0 to 65535, got "${text}"`);
}
