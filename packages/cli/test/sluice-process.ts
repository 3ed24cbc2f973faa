import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

/** The built command. */
export const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url));

/** What a process wrote, and how it ended. */
export interface Ended {
  readonly code: unknown;
  readonly output: string;
  readonly errors: string;
}

/** Variables of the environment of a process, beside PATH. */
export type Environment = Readonly<Record<string, string>>;

/** The environment of a process that runs a script first. */
export function after(script: string, env: Environment): Environment {
  return { ...env, NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(script)}` };
}

/** Starts the command. Nothing of this process's environment reaches it. @param input What it gets on standard input, a pipe. */
export function start(
  args: readonly string[],
  env: Environment = {},
  cwd?: string,
  input = '',
): ChildProcessByStdio<Writable, Readable, Readable> {
  const { PATH = '' } = process.env;
  const child = spawn(process.execPath, [MAIN, ...args], {
    ...{ cwd, env: { PATH, ...env }, stdio: ['pipe', 'pipe', 'pipe'] },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  child.stdin.end(input);
  return child;
}

/** Runs the command to its end. */
export function sluice(...how: Parameters<typeof start>): Promise<Ended> {
  return ended(start(...how));
}

/** Waits for the end of a process. */
export async function ended(child: ReturnType<typeof start>): Promise<Ended> {
  const exited = once(child, 'exit');
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = await exited;
  return { code, output, errors };
}
