/** What both programs take. */
export const COMMON_OPTIONS = {
  quick: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
  only: { type: 'string' },
  json: { type: 'string' },
} as const;

/** The command line is wrong; the message says how. */
export class ArgumentError extends Error {
  override readonly name: string = 'ArgumentError';
}

/** Runs a parse, whose failures are all the user's to mend. */
export function parseOrExplain<Parsed>(parse: () => Parsed, known: string): Parsed {
  try {
    return parse();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ArgumentError(`${reason}\nThere are ${known}.`, { cause: error });
  }
}

/** The one thing of this name, or all of them where no name is given. */
export function select<Named extends { readonly name: string }>(
  all: readonly Named[],
  name: string | undefined,
): readonly Named[] {
  if (name === undefined) return all;
  const selected = all.filter((one) => one.name === name);
  if (selected.length > 0) return selected;
  const names = all.map((one) => one.name).join(', ');
  throw new ArgumentError(`--only ${JSON.stringify(name)}: there is no such name; there are ${names}.`);
}
