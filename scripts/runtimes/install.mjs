// Gets the runtimes of the battery from the registry when they are needed. Each takes 90 to 150 MB, so no set-up installs them.
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../workspace.mjs';

const CACHE = join(root, 'node_modules', '.cache', 'runtimes');
const INSTALL_MS = 240_000;
const { arch, platform } = process;
const isWindows = platform === 'win32';
const nodePackage = `node-${isWindows ? 'win' : platform}-${arch}`;

/**
 * @typedef {object} Runtime
 * @property {string} label its name and version
 * @property {string} source the package, with its version
 * @property {readonly string[]} program where it is, below node_modules; `*` is the only folder there
 * @property {readonly string[]} args in front of the application
 */

/** @param {string} version @returns {Runtime} */
function node(version) {
  const program = [nodePackage, ...(isWindows ? [] : ['bin']), 'node'];
  return { label: `Node ${version}`, source: `${nodePackage}@${version}`, program, args: [] };
}

/** The oldest Node that the packages support, and the newest of each later line that is maintained. @type {readonly Runtime[]} */
export const RUNTIMES = [
  ...['20.19.0', '22.23.3', '24.21.0', '26.10.0'].map(node),
  { label: 'Bun 1.4.5', source: 'bun@1.4.5', program: ['@oven', '*', 'bin', 'bun'], args: [] },
  { label: 'Deno 2.9.6', source: 'deno@2.9.6', program: ['@deno', '*', 'deno'], args: ['run', '-A'] },
];

/**
 * Installs a runtime, if it is not there yet. Returns the path of its program. Rejects with an error that says why there is none.
 * @param {Runtime} runtime
 */
export async function install({ label, program, source }) {
  const folder = join(CACHE, label.replace(' ', '-').toLowerCase());
  const installed = programIn(folder, program);
  if (installed !== undefined) return installed;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  // Without scripts: the program is in a package of its own for this system.
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', '--fetch-retries=1'];
  await promisify(execFile)('npm', ['install', ...flags, source], {
    cwd: folder,
    shell: isWindows,
    timeout: INSTALL_MS,
  });
  const path = programIn(folder, program);
  if (path === undefined) throw new Error(`${source} has no program for ${platform} on ${arch}`);
  return path;
}

/** @param {string} folder @param {readonly string[]} program */
function programIn(folder, program) {
  let path = join(folder, 'node_modules');
  for (const name of program) {
    if (!existsSync(path)) return undefined;
    path = join(path, name === '*' ? (readdirSync(path)[0] ?? '') : name);
  }
  if (isWindows) path += '.exe';
  return existsSync(path) ? path : undefined;
}
