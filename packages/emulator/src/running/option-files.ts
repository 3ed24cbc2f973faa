import { readFileSync } from 'node:fs';
import { ConfigError } from '@sluice/protocol';
import { describe } from '@sluice/protocol/toolbox';
import { readCustomersFile } from '../customers/customers-file.ts';
import type { EmulatorOptions } from './options.ts';

/** Paths of files that hold options, by the name of the option. */
export interface OptionFiles {
  /** One customer per line. */
  readonly customers: string | undefined;
  /** JSON, in the shape of the option. */
  readonly faults: string | undefined;
  /** JSON, in the shape of the option. */
  readonly behaviour: string | undefined;
}

/** Reads the options from files. Throws {@link ConfigError} if a file cannot be read. The options are not checked yet. */
export function readOptionFiles({ customers, faults, behaviour }: OptionFiles): EmulatorOptions {
  return {
    customers: customers === undefined ? undefined : readCustomersFile(customers),
    faults: readJsonFile('faults', faults) as EmulatorOptions['faults'],
    behaviour: readJsonFile('behaviour', behaviour) as EmulatorOptions['behaviour'],
  };
}

function readJsonFile(option: string, path: string | undefined): unknown {
  if (path === undefined) return undefined;
  try {
    return JSON.parse(readFileSync(path, 'utf8').replace(/^\uFEFF/, ''));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError(option, `${option} must be a file of JSON, got ${describe(path)}: ${reason}`, {
      cause: error,
    });
  }
}
