import { execFileSync } from 'node:child_process';

/** Runs a program of the system to its end. Throws with what it said where it fails. Returns what it wrote. */
export function runProgram(name: string, ...args: readonly string[]): string {
  return execFileSync(name, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}
