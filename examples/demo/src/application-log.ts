import { readFile } from 'node:fs/promises';

const LINES = 8;

/** The end of what the application has logged, to explain a failure. */
export async function readLogTail(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text
    .split('\n')
    .slice(-LINES - 1)
    .join('\n');
}
