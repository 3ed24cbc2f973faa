import { createReadStream } from 'node:fs';

const NEWLINE = 0x0a;

/** The number of lines in a file. Every line must end with a newline. */
export async function countLines(path: string): Promise<number> {
  let count = 0;
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, at + 1)) count += 1;
  }
  return count;
}
