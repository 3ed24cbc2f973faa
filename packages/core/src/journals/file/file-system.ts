import type * as NodeFs from 'node:fs';

/** The parts of `node:fs` that the journal uses, so that tests can make any of them fail. */
export type FileSystem = Pick<
  typeof NodeFs,
  'promises' | 'mkdirSync' | 'renameSync' | 'openSync' | 'writeSync' | 'closeSync'
>;

/** The code that Node gives errors of the operating system: `ENOENT`. */
export function errorCode(error: unknown): string | undefined {
  const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined;
  return typeof code === 'string' ? code : undefined;
}
