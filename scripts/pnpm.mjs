// Runs the pnpm version that this workspace requires, on a machine that has only npm.
// Does not use corepack: the version in Node 20 cannot verify current signatures.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { readManifest, root } from './workspace.mjs';

/** Without the hash of its file, which npm does not know. It checks that of the registry. */
const packageManager = String(readManifest(root).packageManager).split('+')[0];

/**
 * Runs command lines one after another, until one fails. `pnpm` is on their PATH; turbo also needs it there.
 * @param {readonly string[]} lines
 * @param {'captured' | 'shown'} [output] captured: returned as one string; shown: printed at once
 * @returns {{ status: number, output: string }}
 */
export function withPnpm(lines, output = 'captured') {
  // npm 12 runs only the install scripts of packages named here. pnpm needs its own script: it installs the binary.
  const npx = ['--yes', '--allow-scripts=pnpm', `--package=${packageManager}`, '--call', lines.join(' && ')];
  const windows = process.platform === 'win32';
  const { status, error, stdout, stderr } = spawnSync('npx', windows ? npx.map(quote) : npx, {
    cwd: root,
    stdio: output === 'shown' ? 'inherit' : ['ignore', 'pipe', 'pipe'],
    maxBuffer: 1 << 28,
    encoding: 'utf8',
    shell: windows,
    env: {
      npm_config_fetch_retry_mintimeout: '500', // npx asks the registry even for a package that it has already;
      npm_config_fetch_retry_maxtimeout: '2000', // without a network, it would wait for more than a minute
      ...process.env,
      TURBO_TELEMETRY_DISABLED: '1',
      npm_config_dry_run: 'false', // `npm pack --dry-run` passes its flag on to this process
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
