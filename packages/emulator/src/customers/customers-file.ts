import { ConfigError, type Customer } from '@sluice/protocol';
import { describe } from '@sluice/protocol/toolbox';
import { type JsonLine, readJsonLines } from './json-lines.ts';

/** Reads customers from a file with one JSON object per line. Skips blank lines. Throws {@link ConfigError}. */
export function readCustomersFile(path: string): Customer[] {
  try {
    return Array.from(readJsonLines(path), toCustomer);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const rule = 'must be a file with one JSON object a line';
    throw new ConfigError('customers', `customers ${rule}, got ${describe(path)}: ${reason}`, {
      cause: error,
    });
  }
}

function toCustomer({ number, value }: JsonLine): Customer {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw new Error(`line ${number} is ${describe(value)}`);
}
