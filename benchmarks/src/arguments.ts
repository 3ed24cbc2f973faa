import { parseArgs } from 'node:util';
import { COMMON_OPTIONS, parseOrExplain } from './command-line.ts';

/** Parsed arguments of the benchmark. */
export interface BenchArguments {
  readonly quick: boolean;
  /** Runs only the survival measurement in a browser. */
  readonly survival: boolean;
  readonly help: boolean;
  readonly only: string | undefined;
  readonly json: string | undefined;
  readonly profile: string | undefined;
}

export const BENCH_HELP = `Usage: npm run bench [-- --quick] [-- --survival] [-- --only NAME] [-- --json FILE] [-- --profile DIR]

  --quick        few events and one round: to see that nothing is lost, not to measure
  --survival     what survives in Chromium, and nothing else: it takes about two hours
  --only NAME    one measurement only
  --json FILE    write the rows there too
  --profile DIR  write a CPU profile of every measured process there
  --help         show this and end

A full run of all other measurements writes benchmarks/results.md, benchmarks/plots and a section of README.md;
--survival writes its part of benchmarks/results.md and its plot.
Exit codes: 0 nothing was lost, whether or not the demands are met; 1 events were lost or a measurement failed,
2 wrong arguments, 128 + N ended by signal N.
`;

const KNOWN = '--quick, --survival, --only NAME, --json FILE, --profile DIR and --help';

/** Throws an ArgumentError for an unknown argument. */
export function parseBenchArguments(args: readonly string[]): BenchArguments {
  const { values } = parseOrExplain(
    () =>
      parseArgs({
        args: [...args],
        options: {
          ...COMMON_OPTIONS,
          survival: { type: 'boolean', default: false },
          profile: { type: 'string' },
        },
      }),
    KNOWN,
  );
  const { quick, survival, help, only, json, profile } = values;
  return { quick, survival, help, only, json, profile };
}
