// Builds Sluice for pages without a bundler: one file for `<script type="module">`, and one for `<script>`.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { rolldown } from 'rolldown';
import { readManifest, root } from './workspace.mjs';

const LICENCE_FILES = ['LICENSE', 'LICENCE', 'LICENSE.md', 'license'];

/**
 * @param {'src' | 'dist'} folder of packages/core that is bundled
 * @returns {Promise<{ module: string, script: string, notices: string }>} `notices`: the licences of other people's code in both
 */
export async function bundleBrowserFiles(folder) {
  const [module, script] = await Promise.all([
    bundle(folder, 'full', 'es'),
    bundle(folder, 'global', 'iife'),
  ]);
  const notices = [...new Map([...module.packages, ...script.packages])].map(
    ([name, text]) => `${name}\n\n${text}`,
  );
  return { module: module.code, script: script.code, notices: notices.join('\n\n') };
}

/**
 * @param {'src' | 'dist'} folder
 * @param {string} entry
 * @param {'es' | 'iife'} format
 */
async function bundle(folder, entry, format) {
  const extension = folder === 'src' ? 'ts' : 'js';
  const conditions = folder === 'src' ? ['@sluice/source'] : [];
  const core = join(root, 'packages', 'core');
  const build = await rolldown({
    input: join(core, folder, 'entries', `${entry}.${extension}`),
    platform: 'browser',
    transform: { target: 'es2022' },
    resolve: { conditionNames: [...conditions, 'browser', 'import', 'default'] },
    onLog: (_level, { message }) => {
      throw new Error(message);
    },
  });
  const { output } = await build.generate({ format, minify: true, comments: { annotation: false } });
  await build.close();
  const [{ code, moduleIds }] = output;
  const packages = new Map(moduleIds.filter((id) => id.includes('node_modules')).map(noticeOf));
  const { name, version, license } = readManifest(core);
  const others = [...packages.keys()].map((other) => `, and ${other}: see sluice.LEGAL.txt`).join('');
  return { code: `/*! ${name} ${version}, ${license}${others} */\n${code}`, packages };
}

/**
 * @param {string} id of a module of another package
 * @returns {[name: string, licence: string]}
 */
function noticeOf(id) {
  let folder = dirname(id);
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder);
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = LICENCE_FILES.find((file) => existsSync(join(folder, file)));
  if (!file) throw new Error(`${name} ${version} has no file with its licence`);
  return [`${name} ${version}, ${license}`, readFileSync(join(folder, file), 'utf8').trim()];
}
