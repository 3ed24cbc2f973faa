import { readFileSync } from 'node:fs';
import { ConfigError, describe } from '@sluice/protocol';
import { readCustomersFile } from './customers-file.ts';
import type { EmulatorOptions } from './options.ts';

/** Paths of files, by the option that each stands for. */
export interface OptionFiles {
  /** One customer a line. */
  readonly customers: string | undefined;
  /** JSON, in the shape of the option. */
  readonly faults: string | undefined;
  /** JSON, in the shape of the option. */
  readonly behaviour: string | undefined;
}

/** The options that stand in files. Throws {@link ConfigError} for a file that cannot be read; the options are not checked yet. */
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
