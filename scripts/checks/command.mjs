import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from '../workspace.mjs';

/**
 * Runs a program and returns its standard output. If the program fails, throws an error with all its output.
 * @param {string} program
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv }} [options]
 */
export function command(program, args, { cwd = root, env } = {}) {
  const { status, error, stdout, stderr } = spawnSync(program, args, {
    cwd,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0', ...env },
  });
  if (error || status !== 0) {
    throw new Error(`${program} ${args.join(' ')}\n${error?.message ?? ''}${stdout ?? ''}${stderr ?? ''}`);
  }
  return stdout;
}

/**
 * Like `command`, for a tool that is installed in the workspace.
 * @param {string} name
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv }} [options]
 */
export function tool(name, args, options) {
  return command(join(root, 'node_modules', '.bin', name), args, options);
}
