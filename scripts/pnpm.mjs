// Runs the one pnpm version this workspace is built with, on a machine that has only npm.
// corepack is avoided on purpose: the one that ships with Node 20 cannot verify current signatures.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { readManifest, root } from './workspace.mjs';

const { packageManager } = readManifest(root);

/**
 * Runs command lines, one after the other while they succeed, with `pnpm` on PATH (turbo wants it there too).
 * @param {readonly string[]} lines
 * @param {'captured' | 'shown'} [output] captured: handed back in one piece
 * @returns {{ status: number, output: string }}
 */
export function withPnpm(lines, output = 'captured') {
  // npm 12 runs no install script unless it is named, and pnpm's puts its binary in place.
  const npx = ['--yes', '--allow-scripts=pnpm', `--package=${packageManager}`, '--call', lines.join(' && ')];
  const windows = process.platform === 'win32';
  const { status, error, stdout, stderr } = spawnSync('npx', windows ? npx.map(quote) : npx, {
    cwd: root,
    stdio: output === 'shown' ? 'inherit' : ['ignore', 'pipe', 'pipe'],
    maxBuffer: 1 << 28,
    encoding: 'utf8',
    shell: windows,
    env: {
      npm_config_fetch_retry_mintimeout: '500', // npx asks the registry even for what it has; without a network
      npm_config_fetch_retry_maxtimeout: '2000', // it would wait for more than a minute before it goes on
      ...process.env,
      TURBO_TELEMETRY_DISABLED: '1',
      npm_config_dry_run: 'false', // `npm pack --dry-run` hands its flag on
      npm_config_loglevel: 'error',
      npm_config_update_notifier: 'false',
    },
  });
  if (error) {
    return { status: 1, output: `could not start ${packageManager} through npx: ${error.message}` };
  }
  return { status: status ?? 1, output: `${stdout ?? ''}${stderr ?? ''}` };
}

/** @param {string} word */
function quote(word) {
  return /^[\w@./:=-]+$/.test(word) ? word : `"${word.replaceAll('"', '\\"')}"`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.exitCode = withPnpm([['pnpm', ...process.argv.slice(2).map(quote)].join(' ')], 'shown').status;
}
