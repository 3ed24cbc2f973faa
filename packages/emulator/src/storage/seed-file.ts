import { closeSync, openSync, readSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { ConfigError, describe, type Event, findEventProblem } from '@sluice/protocol';
import { parseJsonLine } from '../json-line.ts';
import type { ReceivedEvent } from './event-store.ts';

const CHUNK_BYTES = 1024 * 1024;

/**
 * The events of a file with one JSON object a line, in its order; blank lines are skipped. Throws {@link ConfigError} that
 * names the first line that is wrong.
 */
export function* readSeedFile(path: string): Generator<ReceivedEvent> {
  let number = 0;
  try {
    for (const line of readLines(path)) {
      number += 1;
      const text = line.trim(); // also takes away a byte order mark
      if (text !== '') yield { text, event: parseLine(text, number) };
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const rule = 'must be a file with the JSON of one event a line';
    throw new ConfigError('seed', `seed ${rule}, got ${describe(path)}: ${reason}`, { cause: error });
  }
}

function parseLine(text: string, number: number): Event {
  const value = parseJsonLine(text, number);
  const problem = findEventProblem(value);
  if (problem !== undefined) throw new Error(`line ${number}: ${problem.message}`);
  return value as Event;
}

function* readLines(path: string): Generator<string> {
  const file = openSync(path, 'r');
  try {
    const decoder = new StringDecoder('utf8');
    const bytes = Buffer.alloc(CHUNK_BYTES);
    let rest = '';
    for (let length = readSync(file, bytes); length > 0; length = readSync(file, bytes)) {
      const lines = (rest + decoder.write(bytes.subarray(0, length))).split('\n');
      rest = lines.pop() ?? '';
      yield* lines;
    }
    rest += decoder.end();
    if (rest !== '') yield rest;
  } finally {
    closeSync(file);
  }
}
