// Runs the one pnpm version this workspace is built with, on a machine that has only npm.
// corepack is avoided on purpose: the one that ships with Node 20 cannot verify current signatures.
import { spawnSync } from 'node:child_process';

const pnpm = 'pnpm@12.21.0';
const args = ['--yes', '--allow-scripts=pnpm', pnpm, ...process.argv.slice(2)];
const { status, error } = spawnSync('npx', args, {
  stdio: 'inherit',
  shell: process.platform === 'win32',
  env: { ...process.env, TURBO_TELEMETRY_DISABLED: '1', npm_config_loglevel: 'error' },
});
if (error) {
  console.error(`could not start ${pnpm} through npx: ${error.message}`);
}
process.exit(status ?? 1);
