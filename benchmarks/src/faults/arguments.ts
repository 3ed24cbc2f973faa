import { parseArgs } from 'node:util';
import { ArgumentError, COMMON_OPTIONS, parseOrExplain } from '../command-line.ts';

/** Parsed arguments of the fault program. */
export interface FaultArguments {
  readonly quick: boolean;
  readonly help: boolean;
  readonly only: string | undefined;
  readonly json: string | undefined;
  readonly seed: number | undefined;
}

/** @param names of all rows. */
export function faultsHelp(names: readonly string[]): string {
  const lines = names.join(', ').replace(/(.{1,90})(?: |$)/g, '               $1\n');
  return `Usage: npm run faults [-- --quick] [-- --only NAME] [-- --seed N] [-- --json FILE]

  --quick      few tries: a few minutes. A full run takes over an hour
  --only NAME  one row only, of these:
${lines}  --seed N     make the same random choices again, from 0 to 4294967295
  --json FILE  write the rows there too
  --help       show this and end

Disks are cut off and filled by root on Linux only, and nginx, haproxy and Chromium must be installed; elsewhere
these rows are skipped, and say why.
Exit codes: 0 all passed or were skipped, 1 one failed, 2 wrong arguments, 128 + N ended by signal N.
`;
}

const KNOWN = '--quick, --only NAME, --seed N, --json FILE and --help';
const MAX_SEED = 2 ** 32 - 1;

/** Throws an ArgumentError for an unknown argument or an invalid seed. */
export function parseFaultArguments(args: readonly string[]): FaultArguments {
  const { values } = parseOrExplain(
    () =>
      parseArgs({
        args: [...args],
        options: { ...COMMON_OPTIONS, seed: { type: 'string' } },
      }),
    KNOWN,
  );
  const { quick, help, only, json, seed } = values;
  return { quick, help, only, json, seed: seed === undefined ? undefined : readSeed(seed) };
}

function readSeed(text: string): number {
  const seed = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (seed <= MAX_SEED) return seed;
  throw new ArgumentError(
    `--seed must be a whole number from 0 to ${MAX_SEED}, got ${JSON.stringify(text)}.`,
  );
}
