import type { Fsync } from './messages.ts';

/** The most events in a request of it. */
export const BATCH_EVENTS = 100;
/** Exit codes that the application chooses. */
export const EXIT_CODE = 5;
export const OWN_HANDLER_EXIT_CODE = 7;

/** How an application ends without closing its tracker, and how its parent must see that end: as if there were no tracker. */
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

/** Settings of an application that ends. */
export interface EndingSettings {
  readonly baseUrl: string;
  readonly journalDirectory: string;
  readonly fsync: Fsync;
  readonly life: number;
  readonly seed: number;
  readonly ending: Ending;
  /** How long it tracks before it ends, in milliseconds. For a signal, its parent measures this time. */
  readonly afterMs: number;
  /** The file into which it writes how many events it has tracked. */
  readonly countPath: string;
}

/** The messages that it sends. */
export type EndingTold = { readonly type: 'started' };
