import { writeFileSync } from 'node:fs';
import { ArgumentError } from './command-line.ts';

/** Writes rows as JSON. */
export function writeRows(path: string, rows: readonly object[]): void {
  writeFileSync(path, `${JSON.stringify(rows, null, 2)}\n`);
}

/** Throws an ArgumentError if the file cannot be written. Called before minutes of work, not after. */
export function checkWritable(path: string | undefined): void {
  if (path === undefined) return;
  try {
    writeRows(path, []);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ArgumentError(`--json ${JSON.stringify(path)} cannot be written: ${reason}`, { cause: error });
  }
}
