import { execFileSync } from 'node:child_process';

/** Runs a program of the system to its end, and returns its output. If it fails, throws with its error output. */
export function runProgram(name: string, ...args: readonly string[]): string {
  return execFileSync(name, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}
