import { parseArgs } from 'node:util';

/** The arguments of the command line. */
export interface DemoArguments {
  /** Keep the service running at the end. */
  readonly serve: boolean;
  readonly help: boolean;
}

/** The command line is wrong. The message says why. */
export class ArgumentError extends Error {
  override readonly name: string = 'ArgumentError';
}

export const HELP = `Usage: npm run demo [-- --serve]

  --serve   keep the service up at the end, to look into it with curl; Ctrl-C ends it
  --help    show this and end

Exit codes: 0 all is well, 1 an event was lost or changed, or the demo failed,
2 wrong arguments, 128 + N ended by signal N.
`;

/** Throws {@link ArgumentError} for an unknown argument. */
export function parseArguments(args: readonly string[]): DemoArguments {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        serve: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    return values;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ArgumentError(`${reason}\nThere are --serve and --help.`, { cause: error });
  }
}
