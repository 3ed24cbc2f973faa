import type * as NodeFs from 'node:fs';

/** The parts of `node:fs` that the journal uses, so that tests can make any of them fail. */
export type FileSystem = Pick<
  typeof NodeFs,
  'promises' | 'mkdirSync' | 'renameSync' | 'openSync' | 'writeSync' | 'closeSync'
>;
