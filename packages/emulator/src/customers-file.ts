import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { ConfigError, type Customer, describe } from '@sluice/protocol';
import { parseJsonLine } from './json-line.ts';

/** Reads customers from a file with one JSON object a line; blank lines are skipped. Rejects with {@link ConfigError}. */
export async function readCustomersFile(path: string): Promise<Customer[]> {
  const customers: Customer[] = [];
  let number = 0;
  try {
    for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) {
      number += 1;
      const text = line.trim(); // also takes away a byte order mark
      if (text !== '') customers.push(parseLine(text, number));
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const rule = 'must be a file with one JSON object a line';
    throw new ConfigError('customers', `customers ${rule}, got ${describe(path)}: ${reason}`, {
      cause: error,
    });
  }
  return customers;
}

function parseLine(text: string, number: number): Customer {
  const value = parseJsonLine(text, number);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw new Error(`line ${number} is ${describe(value)}`);
}
