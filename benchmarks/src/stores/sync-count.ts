import fs, { type NoParamCallback } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

/** Counts the calls of `fdatasync()` in this process from now on, whoever makes them. Returns what tells their number. */
export function countSyncs(): () => number {
  const { fdatasync } = fs;
  let count = 0;
  const counted = (file: number, done: NoParamCallback) => {
    count += 1;
    fdatasync(file, done);
  };
  Object.assign(fs, { fdatasync: counted });
  // Modules that import it by its name see the new one from here on.
  syncBuiltinESMExports();
  return () => count;
}
