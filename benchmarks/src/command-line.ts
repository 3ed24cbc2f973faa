/** Options of both programs. */
export const COMMON_OPTIONS = {
  quick: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
  only: { type: 'string' },
  json: { type: 'string' },
} as const;

/** The command line is wrong. The message explains why. */
export class ArgumentError extends Error {
  override readonly name: string = 'ArgumentError';
}

/** Calls `parse`. Turns its error, which the user must fix, into an ArgumentError. */
export function parseOrExplain<Parsed>(parse: () => Parsed, known: string): Parsed {
  try {
    return parse();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ArgumentError(`${reason}\nThere are ${known}.`, { cause: error });
  }
}

/** The entries with this name, or all entries if no name is given. Throws an ArgumentError if no entry has the name. */
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
