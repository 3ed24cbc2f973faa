import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import type { Service } from './service.ts';

/** The built command. */
export const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url));

export interface Running {
  readonly child: ChildProcess;
  readonly service: Service & { readonly primaryKey: string | null };
  /** All of standard output, once it has ended. */
  readonly output: Promise<string>;
  readonly errors: Promise<string>;
}

function launch(args: readonly string[]) {
  const ports = ['--port', '0', '--api-port', '0']; // each may be given again in `args`
  const child = spawn(process.execPath, [MAIN, ...ports, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

/** Starts it, and waits until it is ready. */
export async function start(...args: string[]): Promise<Running> {
  const child = launch(args);
  const chunks: string[] = [];
  const ready = new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      chunks.push(chunk);
      if (chunk.includes('\n')) resolve(chunks.join(''));
    });
    child.once('exit', (code) => reject(new Error(`ended with ${code} before it was ready`)));
  });
  const output = once(child.stdout, 'end').then(() => chunks.join(''));
  const errors = text(child.stderr);
  return { child, service: JSON.parse(await ready), output, errors };
}

/** Runs it to its end. */
export async function run(...args: string[]): Promise<{ code: unknown; output: string; errors: string }> {
  const child = launch(args);
  const exited = once(child, 'exit');
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = await exited;
  return { code, output, errors };
}

/** Ends it with a signal. Returns its exit code and signal. */
export async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<unknown[]> {
  const exited = once(child, 'exit');
  child.kill(signal);
  return exited;
}
