import { readFileSync } from 'node:fs';
import { ConfigError, type Customer } from '@sluice/protocol';
import { describe } from '@sluice/protocol/toolbox';
import { isJsonObject } from '../events/json-text.ts';
import { messageOf } from '../messages.ts';

/** Reads customers from a file with one JSON object per line. Skips blank lines. Throws {@link ConfigError}. */
export function readCustomersFile(path: string): Customer[] {
  let number = 0;
  try {
    return readFileSync(path, 'utf8')
      .split('\n') // not at U+2028 or U+2029: these may occur inside a JSON string
      .flatMap((line): Customer[] => {
        number += 1;
        const text = line.trim(); // also removes a byte order mark
        if (text === '') return [];
        const value: unknown = JSON.parse(text);
        if (isJsonObject(value)) return [value];
        throw new Error(`it is ${describe(value)}`);
      });
  } catch (error) {
    const place = number === 0 ? '' : `line ${number}: `;
    throw unreadable('customers', 'a file with one JSON object a line', path, place + messageOf(error));
  }
}

/** Reads JSON, or a file of it. Throws {@link ConfigError}. The value is not checked. */
export function readJson(option: string, given: string): unknown {
  try {
    return JSON.parse(/^\s*[[{]/.test(given) ? given : readFileSync(given, 'utf8').replace(/^\uFEFF/, ''));
  } catch (error) {
    throw unreadable(option, 'JSON, or a file of it', given, messageOf(error));
  }
}

function unreadable(option: string, rule: string, given: string, why: string): ConfigError {
  return new ConfigError(option, `${option} must be ${rule}, got ${describe(given)}: ${why}`);
}
