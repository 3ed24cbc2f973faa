import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** The settings of the process in `ending-process.mjs`. */
export interface Assignment {
  readonly directory: string;
  readonly count: number;
  /** The name of a scenario in that file. */
  readonly scenario: string;
  readonly fsync?: 'always' | 'interval' | 'never';
  /** Sent for each message of the process. The first one says that it is ready. */
  readonly signal?: NodeJS.Signals;
  /** The URL of another copy of the package. */
  readonly copy?: string;
}

/** How a process ended. */
export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly output: string;
  /** Its messages, except that it is ready. */
  readonly messages: readonly unknown[];
}

const script = fileURLToPath(new URL('ending-process.mjs', import.meta.url));

/**
 * Runs such a process to its end.
 *
 * @param execPath The Node program.
 * @param gaveUp Kills the process when it aborts.
 */
export async function runToEnd(
  assignment: Assignment,
  execPath: string = process.execPath,
  gaveUp?: AbortSignal,
): Promise<Ending> {
  const child = fork(script, [JSON.stringify(assignment)], { silent: true, execArgv: [], execPath });
  gaveUp?.addEventListener('abort', () => child.kill('SIGKILL'));
  const messages: unknown[] = [];
  let output = '';
  child.stdout?.on('data', (chunk) => {
    output += chunk;
  });
  child.on('message', (message) => {
    if (message !== 'ready') messages.push(message);
    if (assignment.signal !== undefined) child.kill(assignment.signal);
  });
  const [code, signal] = await once(child, 'close');
  return { code, signal, output, messages };
}
