import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { root } from '../workspace.mjs';

/**
 * Runs a program and resolves to its standard output. If the program fails, rejects with an error that has all its output.
 * @param {string} program
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv }} [options]
 */
export async function command(program, args, { cwd = root, env } = {}) {
  const child = spawn(program, args, {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0', ...env },
  });
  const line = `${program} ${args.join(' ')}`;
  const closed = once(child, 'close').catch((error) => {
    throw new Error(`${line}\n${error.message}`);
  });
  const [stdout, stderr, [status]] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
  if (status !== 0) throw new Error(`${line}\n${stdout}${stderr}`);
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
