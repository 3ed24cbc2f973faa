import fs, { type NoParamCallback } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

/** Counts all calls of `fdatasync()` in this process from now on. Returns a function that returns their number. */
export function countSyncs(): () => number {
  const { fdatasync } = fs;
  let count = 0;
  const counted = (file: number, done: NoParamCallback) => {
    count += 1;
    fdatasync(file, done);
  };
  Object.assign(fs, { fdatasync: counted });
  // From here on, modules that import it by name get the counted version.
  syncBuiltinESMExports();
  return () => count;
}
