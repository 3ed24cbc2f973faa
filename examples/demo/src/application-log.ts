import { readFile } from 'node:fs/promises';

const LINES = 8;

/** The last lines of the application's log, to explain a failure. Empty if there is no log. */
export async function readLogTail(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text
    .split('\n')
    .slice(-LINES - 1)
    .join('\n');
}
