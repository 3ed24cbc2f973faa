import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** The settings of the process in `tracking-process.mjs`. */
export interface Assignment {
  readonly baseUrl: string;
  readonly directory: string;
  readonly first: number;
  readonly count: number;
  readonly end:
    | 'wait to be killed'
    | 'wait to be killed once durable'
    | 'report once durable, and wait to be killed'
    | 'exit'
    | 'throw'
    | 'flush and exit'
    | 'nothing left to do';
  readonly fsync?: 'always' | 'interval' | 'never';
  /** The limit of the journal, in bytes. */
  readonly maxBytes?: number;
  /** A part of each event. */
  readonly pad?: string;
}

const script = fileURLToPath(new URL('tracking-process.mjs', import.meta.url));

/** Starts a process that tracks numbered events. */
export function startTracking(assignment: Assignment): ChildProcess {
  return fork(script, [JSON.stringify(assignment)], { silent: true, execArgv: [] });
}

/** Runs such a process to its end. Returns its exit code. */
export async function runTracking(assignment: Assignment): Promise<number | null> {
  const [code] = await once(startTracking(assignment), 'exit');
  return code;
}
