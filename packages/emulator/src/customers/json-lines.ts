import { closeSync, openSync, readSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';

const CHUNK_BYTES = 1024 * 1024;

/** A line of a file that has one JSON text per line. */
export interface JsonLine {
  /** Counted from 1. */
  readonly number: number;
  /** The JSON text, without surrounding blanks. */
  readonly text: string;
  readonly value: unknown;
}

/**
 * Reads a file that has one JSON text per line. Skips blank lines. Throws an Error that names the first line that is not JSON.
 */
export function* readJsonLines(path: string): Generator<JsonLine> {
  let number = 0;
  for (const line of readLines(path)) {
    number += 1;
    const text = line.trim(); // also removes a byte order mark
    if (text !== '') yield { number, text, value: parse(text, number) };
  }
}

function parse(text: string, number: number): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`line ${number} is not JSON: ${reason}`);
  }
}

// Node's readline also breaks lines at U+2028 and U+2029, but these may occur inside a JSON string.
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
