import type { Fsync } from './messages.ts';

/** The exit codes that the application chooses. */
export const EXIT_CODE = 5;
export const OWN_HANDLER_EXIT_CODE = 7;

/** How an application ends without closing its tracker, and what then is seen of it, as if there were no tracker. */
export const ENDINGS = {
  SIGTERM: 'SIGTERM',
  SIGINT: 'SIGINT',
  SIGHUP: 'SIGHUP',
  'SIGTERM, handled by the application': 'exit code 7',
  'process.exit()': 'exit code 5',
  'uncaught exception': 'exit code 1',
  'unhandled rejection': 'exit code 1',
} as const;

export type Ending = keyof typeof ENDINGS;

/** What a process that ends is to do. */
export interface EndingSettings {
  readonly baseUrl: string;
  readonly journalDirectory: string;
  readonly fsync: Fsync;
  readonly life: number;
  readonly seed: number;
  readonly ending: Ending;
  /** How long it tracks before, in milliseconds. For a signal, its parent counts the time. */
  readonly afterMs: number;
  /** A file into which it writes how many events it has tracked. */
  readonly countPath: string;
}

/** What it tells. */
export type EndingTold = { readonly type: 'started' };
