import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** The size of a journal on disk. */
export interface JournalSize {
  readonly bytes: number;
  readonly files: number;
}

/** Measures a journal directory through the file system, without Sluice. */
export async function measureJournal(directory: string): Promise<JournalSize> {
  let bytes = 0;
  let files = 0;
  for (const path of await readdir(directory, { recursive: true })) {
    // The tracker may delete a file between the two calls.
    const found = await stat(join(directory, path)).catch(() => undefined);
    if (found?.isFile() !== true) continue;
    bytes += found.size;
    files += 1;
  }
  return { bytes, files };
}
