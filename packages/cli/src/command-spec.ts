import type { Output } from './output.ts';

/** A command, as its file declares it. */
export interface CommandSpec {
  /** Its name and arguments: `verify <dir>`. */
  readonly usage: string;
  readonly summary: string;
  readonly options?: readonly (readonly [flags: string, description: string])[];
  /** Command lines, each with what it does. */
  readonly examples: readonly (readonly [line: string, does: string])[];
  /** Whether it takes the flags of the service and the key. */
  readonly usesService?: boolean;
  readonly commands?: readonly CommandSpec[];
  /** All arguments behind the name go on to `run`, help too. */
  readonly passesArguments?: boolean;
  /** Returns the exit code. */
  readonly run?: (args: readonly string[], flags: Flags, output: Output) => Promise<number>;
}

/** The given flags: text, or true for those without a value. */
export type Flags = Readonly<Record<string, string & true>>;
