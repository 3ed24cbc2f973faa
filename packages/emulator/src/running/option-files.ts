import { readFileSync } from 'node:fs';
import { ConfigError, type Customer, type Event, findEventProblem } from '@sluice/protocol';
import { describe } from '@sluice/protocol/toolbox';
import type { ReceivedEvent } from '../events/tracked-events.ts';
import { messageOf } from '../messages.ts';

/** Reads customers from a file with one JSON object per line. Skips blank lines. Throws {@link ConfigError}. */
export function readCustomersFile(path: string): Customer[] {
  const lines = readLines('customers', 'a file with one JSON object a line', path, (value) => {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
    throw new Error(`it is ${describe(value)}`);
  });
  return [...lines];
}

/**
 * Reads the events of a file with one JSON object per line, in order. Skips blank lines. Throws a {@link ConfigError} that names
 * the first wrong line.
 */
export function readSeedFile(path: string): Generator<ReceivedEvent> {
  return readLines('seed', 'a file with the JSON of one event a line', path, (value, text) => {
    const problem = findEventProblem(value);
    if (problem !== undefined) throw new Error(problem.message);
    return { text, event: value as Event };
  });
}

/** Reads JSON, or a file of it. Throws {@link ConfigError}. The value is not checked. */
export function readJson(option: string, given: string): unknown {
  try {
    return JSON.parse(/^\s*[[{]/.test(given) ? given : readFileSync(given, 'utf8').replace(/^\uFEFF/, ''));
  } catch (error) {
    throw unreadable(option, 'JSON, or a file of it', given, messageOf(error));
  }
}

function* readLines<T>(
  option: string,
  rule: string,
  path: string,
  toValue: (value: unknown, text: string) => T,
): Generator<T> {
  let number = 0;
  try {
    for (const line of linesOf(path)) {
      number += 1;
      const text = line.trim(); // also removes a byte order mark
      if (text !== '') yield toValue(JSON.parse(text), text);
    }
  } catch (error) {
    const place = number === 0 ? '' : `line ${number}: `;
    throw unreadable(option, rule, path, place + messageOf(error));
  }
}

// Node's readline also breaks lines at U+2028 and U+2029, but these may occur inside a JSON string.
function* linesOf(path: string): Generator<string> {
  const bytes = readFileSync(path); // it may be longer than a string can be
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf('\n', at);
    yield bytes.toString('utf8', at, end === -1 ? bytes.length : end);
    at = end === -1 ? bytes.length : end + 1;
  }
}

function unreadable(option: string, rule: string, given: string, why: string): ConfigError {
  return new ConfigError(option, `${option} must be ${rule}, got ${describe(given)}: ${why}`);
}
